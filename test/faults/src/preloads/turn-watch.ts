import { openSync, writeSync } from 'node:fs'

// Preloaded by a process whose turns of the event loop are measured. Between two beats of the timer lies at least one whole
// turn. Its processor time counts, because a busy machine makes every turn long by the clock.
const file = openSync(process.env.HERALD_TURNS_FILE ?? '', 'a')
const everyMs = 10
const leastMs = 30

let startedAt = performance.now()
let used = process.threadCpuUsage()
setInterval(() => {
  const wallMs = performance.now() - startedAt
  const { user, system } = process.threadCpuUsage(used)
  const cpuMs = (user + system) / 1_000
  if (wallMs > leastMs) writeSync(file, `${process.pid} ${Date.now()} ${cpuMs} ${wallMs}\n`)
  startedAt = performance.now()
  used = process.threadCpuUsage()
}, everyMs).unref()
