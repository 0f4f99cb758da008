import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const lookMs = 2_000
const givenUpAfterMs = 120_000
const quietShare = 0.1

/** Waits until hardly anything else runs, or for two minutes: it then says how busy the machine is, and goes on. */
export async function untilQuiet(log: (line: string) => void): Promise<void> {
  const deadline = Date.now() + givenUpAfterMs
  for (let told = false; ; told = true) {
    const busy = await busyShare()
    if (busy <= quietShare) return
    const percent = `${Math.round(busy * 100)} %`
    if (Date.now() > deadline) return log(`The machine stays busy (${percent}): trust ratios more than rates`)
    if (!told) log(`Waiting for a quiet machine, it is busy (${percent})`)
  }
}

async function busyShare(): Promise<number> {
  const before = cpuTimes()
  await pause(lookMs)
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
