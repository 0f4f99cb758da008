import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, jest, test } from '@jest/globals'
import { eventually } from './processes/polling.ts'
import { runs } from './processes/processes.fixture.ts'

// The first run on a machine fetches both programs.
jest.setTimeout(300_000)

test('both end and their folders are removed after `kill -9` of the process that started them', async () => {
  const file = fileURLToPath(new URL('./servers.fixture.ts', import.meta.url))
  const starter = spawn(process.execPath, ['--no-warnings', file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: starter.stdout }), 'line')
  const { pids, folders } = JSON.parse(line) as { pids: number[]; folders: string[] }
  expect([...pids.map(runs), ...folders.map(existsSync)]).toEqual([true, true, true, true])
  starter.kill('SIGKILL')
  await eventually(() => !pids.some(runs), { description: 'both have ended' })
  await eventually(() => !folders.some((folder) => existsSync(folder)), { description: 'their folders are removed' })
})
