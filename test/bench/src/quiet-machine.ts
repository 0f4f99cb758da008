import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const sampleMs = 2_000
const timeoutMs = 30_000
const quietShare = 0.1

/** Waits until the machine is almost idle, for half a minute at most; then logs its load and continues. */
export async function untilQuiet(log: (line: string) => void): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (let isLogged = false; ; isLogged = true) {
    const busy = await busyShare()
    if (busy <= quietShare) return
    const percent = `${Math.round(busy * 100)} %`
    if (Date.now() > deadline) return log(`The machine is still busy (${percent}): trust ratios more than rates`)
    if (!isLogged) log(`Waiting for an idle machine (${percent} busy)`)
  }
}

async function busyShare(): Promise<number> {
  const before = cpuTimes()
  await pause(sampleMs)
  const after = cpuTimes()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

function cpuTimes() {
  const times = cpus().map(({ times }) => times)
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  }
}
