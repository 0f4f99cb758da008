// Kills one program and removes its folders when the process that started it is gone, even by `kill -9`: only the
// starter holds the other end of this process's standard input, so its end is seen whatever the reason.
// Usage: watchdog.mjs [folder …]; each line of standard input is the process id to guard, or 0 for none.
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

const folders = process.argv.slice(2)
let guarded = 0

// It outlives what a terminal sends to everybody in it: its own end is decided by its input alone.
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
