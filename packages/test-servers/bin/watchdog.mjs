// Kills a program and removes its folders when the process that started it ends, even by `kill -9`: only that process
// holds the other end of standard input, which is closed in any case.
// Usage: watchdog.mjs [folder …]; each line of standard input is the process id to guard, or 0 for none.
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

const folders = process.argv.slice(2)
let guarded = 0

// Signals of the terminal are ignored: only the end of standard input ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

createInterface({ input: process.stdin })
  .on('line', (line) => {
    guarded = Number(line)
  })
  .on('close', () => {
    if (guarded > 0) killGroup(guarded)
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
