import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const EXIT_WITHIN_MS = 10_000

/**
 * Runs Jest in a process of its own and exits with its code. A process of Node.js that is about to exit may wait for V8's
 * background tasks for ever (nodejs/node#47748, #54918). It is killed then; its exit code is known before.
 */
const child = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    fileURLToPath(new URL('run-until-idle.mjs', import.meta.url)),
    ...process.argv.slice(2),
  ],
  { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
)
let reported
child.once('message', (code) => {
  reported = code
  setTimeout(() => {
    process.stderr.write('Jest is done but its process does not exit: killed.\n')
    child.kill('SIGKILL')
  }, EXIT_WITHIN_MS).unref()
})
child.once('close', (code) => process.exit(reported ?? code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
