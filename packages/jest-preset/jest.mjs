import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Longer than a leak takes to be reported, and the servers of the run to stop. */
const EXIT_WITHIN_MS = 120_000
const jest = fileURLToPath(import.meta.resolve('jest/bin/jest'))

/** The tests of a part of a package: those that need Kafka or MongoDB, in files `*.int.test.ts`, or all others. */
const parts = {
  '--pure': ['--testPathIgnorePatterns', '\\.int\\.test\\.ts$'],
  '--servers': ['--testPathPatterns', '\\.int\\.test\\.ts$'],
}
const [part, ...rest] = process.argv.slice(2)
/** Files `*.long.*` are for the full run. */
const withoutLong = process.env.HERALD_FULL === '1' ? [] : ['--testPathIgnorePatterns', '\\.long\\.']
const args = [...(part in parts ? [...rest, ...parts[part]] : process.argv.slice(2)), ...withoutLong]
const { KAFKA_BROKERS, MONGODB_URI, ...environment } = {
  ...process.env,
  HERALD_TESTS: part in parts ? part.slice(2) : 'servers',
}
const servers =
  part === '--pure' ? {} : { ...(KAFKA_BROKERS && { KAFKA_BROKERS }), ...(MONGODB_URI && { MONGODB_URI }) }
// If it does not get as far as its counts, those of an earlier run must not count.
if (part in parts) rmSync(`.turbo/test-${part.slice(2)}.json`, { force: true })

/**
 * Runs Jest in a process of its own and exits with its code. A process of Node.js that is about to exit may run V8's tasks
 * for ever, at full load (nodejs/node#47748): it is killed, with the code that its reporter has sent at the end of the tests.
 */
const child = spawn(process.execPath, ['--conditions=herald-source', '--no-warnings', jest, ...args], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { ...environment, ...servers },
})
let reported
child.on('message', (code) => {
  reported = code
  setTimeout(() => {
    process.stderr.write('Jest is done but its process does not exit: killed.\n')
    child.kill('SIGKILL')
  }, EXIT_WITHIN_MS)
})
child.once('close', (code) => process.exit(code ?? reported ?? 1))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
