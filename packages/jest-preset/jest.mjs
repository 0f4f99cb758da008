import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Longer than a leak takes to be reported, and the servers of the run to stop. */
const EXIT_WITHIN_MS = 120_000
const jest = fileURLToPath(import.meta.resolve('jest/bin/jest'))

/**
 * Runs Jest in a process of its own and exits with its code. A process of Node.js that is about to exit may run V8's tasks
 * for ever, at full load (nodejs/node#47748): it is killed, with the code that its reporter has sent at the end of the tests.
 */
const child = spawn(process.execPath, ['--conditions=herald-source', '--no-warnings', jest, ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
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
