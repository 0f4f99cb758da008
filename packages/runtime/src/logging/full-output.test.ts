import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const logger = fileURLToPath(new URL('logger.ts', import.meta.url))
const program = `
  const { createLogger } = await import(${JSON.stringify(logger)})
  const log = createLogger({ name: 'test', level: 'info' })
  for (let n = 0; n < 10_000; n++) log.info({ n }, 'A line that the full disk does not take')
  console.error(Math.round(process.memoryUsage().rss / 1024 / 1024) < 400 ? 'alive' : 'too large')
`
// Linux refuses each write to this file, as on a full disk.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('a process whose log is on a full disk goes on', async () => {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = await once(child, 'close')
  expect({ code, errors: errors.trim() }).toEqual({ code: 0, errors: 'alive' })
})
