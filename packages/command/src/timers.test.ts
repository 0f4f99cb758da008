import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

// Time passes in a test because a condition is waited for (`eventually`), or because the test advances Jest's fake timers.
// A pause of its own is either too short on a busy machine or too long on each run.

const pause = /\bsetTimeout\((?!\d)|\bsetInterval\(|\bawait (?:pause|wait|sleep)\(/g

/**
 * Tests that still pause, and how often: those of sockets and streams, whose other end has to be slow or silent for a while, and
 * loops around a condition. No file may come, and no number may grow.
 */
const known: Readonly<Record<string, number>> = {
  'packages/client/src/http.test.ts': 2,
  'packages/client/src/sealed-log.test.ts': 1,
  'packages/kafka/src/client/fetch/fetch-response.test.ts': 1,
  'packages/local-herald/src/mail/mail.test.ts': 1,
  'packages/publisher/src/publish.int.test.ts': 1,
  'packages/runtime/src/http/http-sockets.test.ts': 1,
  'packages/runtime/src/http/large-responses.test.ts': 1,
  'packages/runtime/src/workers/leased-worker.test.ts': 1,
  'packages/test-servers/src/processes/program.test.ts': 1,
  'packages/web-components/src/inbox/inbox-feed.test.ts': 1,
  'services/query/src/change-entries/change-log-transfer.test.ts': 1,
  'services/query/src/notifications/mark-many-failover.long.int.test.ts': 2,
  'services/query/src/stream/audience.test.ts': 2,
  'services/query/src/stream/catch-up.test.ts': 9,
  'services/query/src/stream/client.test.ts': 6,
  'services/query/src/stream/convergence.int.test.ts': 3,
  'services/query/src/stream/erasure-fence.test.ts': 1,
  'services/query/src/stream/faults.int.test.ts': 14,
  'services/query/src/stream/live-feed.test.ts': 8,
  'services/query/src/stream/resume.int.test.ts': 2,
  'services/query/src/stream/slow-reader.int.test.ts': 4,
  'services/query/src/stream/stream.int.test.ts': 7,
  'services/query/src/stream/unread-counts.test.ts': 1,
  'test/foreign/captured-changes/restarts.test.ts': 2,
  'test/deploy/src/alerts.test.ts': 1,
  'test/deploy/src/dashboard.test.ts': 1,
}

const files = globSync('{packages,services,test,examples}/**/*.test.ts', {
  cwd: workspaceRoot,
  exclude: ['**/node_modules', '**/dist'],
})

test('no test pauses instead of waiting for a condition', () => {
  expect(files.length).toBeGreaterThan(300)
  const pausing = files
    .filter((path) => path !== 'packages/command/src/timers.test.ts')
    .flatMap((path) => {
      const count = readFileSync(join(workspaceRoot, path), 'utf8').match(pause)?.length ?? 0
      return count > (known[path] ?? 0) ? [`${path}: ${count}`] : []
    })
  expect(pausing).toEqual([])
})
