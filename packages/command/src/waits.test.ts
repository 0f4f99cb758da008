import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

/** The ways to wait for something that may never come. Everything else waits through one of these. */
const forms: Readonly<Record<string, RegExp>> = {
  'MongoDB client': /new MongoClient\(/,
  'Kafka client': /new Kafka(Client)?\(/,
  fetch: /(?<![.\w])fetch\(/,
  promise: /new Promise\b|withResolvers/,
  'pipeline of streams': /\bpipeline\(/,
  'network or process': /^import \{.*\} from 'node:(net|tls|https?|http2|dns|child_process|dgram)/m,
  'wait for an event': /^import \{.*\bonce\b.*\} from 'node:events'/m,
}

/** Each place, with what limits its waits. */
const limits: Readonly<Record<string, string>> = {
  'packages/client/src/http.ts: fetch': 'the signal of a deadline',
  'packages/client/src/pause.ts: promise': 'a pause ends by its timer; the signal of the caller',
  'packages/runtime/src/auth/verification-keys.ts: fetch': 'jose’s signal, timeoutDuration',
  'packages/runtime/src/http/turns.ts: wait for an event': 'holds nothing, and ends with the connection',
  'packages/runtime/src/lifecycle/shutdown.ts: promise': 'one turn of the event loop',
  'packages/runtime/src/lifecycle/time-limit.ts: promise': 'is a limit',
  'packages/runtime/src/shares/budget.ts: promise': 'waitMs',
  'packages/store/src/connection/lasting-client.ts: MongoDB client': 'Limits, required by the type of its options',
  'packages/store/src/connection/patched-driver.ts: promise': 'the socket’s timeout, which closes the connection',
  'packages/store/src/feed-changes/feed-changes.ts: promise':
    'raced against the first batch, which has socketTimeoutMS',
  'services/ingest/src/consume/event-consumer.ts: promise': 'lasts as long as the member, whose liveness is checked',
  'services/ingest/src/consume/gathered-handler.ts: promise': 'the work of a chunk',
  'services/ingest/src/kafka/create-kafka.ts: Kafka client': 'connectionTimeout, requestTimeout and retries',
  'services/ingest/src/kafka/read-to-end.ts: promise': 'a command of the operator, who ends it with Ctrl-C',
  'services/ingest/src/workers/leased-worker.ts: promise': 'lasts until the worker stops; each step has a deadline',
  'services/query/src/change-entries/transfer.ts: pipeline of streams': 'readers that do not read are disconnected',
  'services/query/src/stream/client.ts: promise': 'drainMs',
  'services/query/src/stream/live-feed.ts: promise': 'openMs',
}

const folders = '{services/*,packages/{contracts,runtime,store,publisher,client}}/src/**/*.ts'
const isProduct = (file: string) => !/\.(test|fixture)\.ts$/.test(file)
const comments = /\/\*[\s\S]*?\*\/|\/\/.*$/gm

test('every wait of the product has a known limit', () => {
  const found = globSync(folders, { cwd: workspaceRoot })
    .filter(isProduct)
    .flatMap((file) => {
      const code = readFileSync(join(workspaceRoot, file), 'utf8').replace(comments, '')
      return Object.keys(forms).flatMap((form) => (forms[form]?.test(code) ? [`${file}: ${form}`] : []))
    })
  // A new place needs a limit and an entry; an entry without its place goes.
  expect(found.sort()).toEqual(Object.keys(limits).sort())
})

test('the Kafka client limits connections, requests and retries', () => {
  const client = readFileSync(join(workspaceRoot, 'services/ingest/src/kafka/create-kafka.ts'), 'utf8')
  for (const limit of [/connectionTimeout: \d/, /requestTimeout: \d/, /retries: \d/]) expect(client).toMatch(limit)
  expect(client).not.toContain('enforceRequestTimeout')
})
