import { leastInFlight } from '../campaign/load.ts'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'
import { type MemoryCurve, watchMemory } from './memory-curve.ts'

const eventsPerOrder = 20_000
const mostInFlight = 100_000
let curves: MemoryCurve[] = []
let rate = 0

/** Handles many events without a fault: the result must be exact, and memory must not grow after the warm-up. */
export async function soak(context: PartContext): Promise<void> {
  const { campaign, isShort, strikes, log } = context
  const { load } = campaign
  const events = isShort ? 20_000 : 1_000_000
  const memory = watchMemory(campaign.fleet.members.map(({ pid }) => pid))
  const startedAt = Date.now()
  for (let produced = 0; produced < events; produced += eventsPerOrder) {
    await load.produce(Math.min(eventsPerOrder, events - produced))
    const inFlight = await load.inFlight()
    if (inFlight >= leastInFlight) strikes.push({ fault: 'soak', inFlight })
    if (produced % (eventsPerOrder * 5) === 0) log(`${produced + eventsPerOrder} produced, ${inFlight} in flight`)
    await until('room for more', async () => (await load.inFlight()) < mostInFlight, { withinMs: 600_000 })
  }
  await until('the remaining records', async () => (await load.inFlight()) < leastInFlight / 2, { withinMs: 900_000 })
  rate = Math.round((events * 1_000) / (Date.now() - startedAt))
  curves = memory.stop()
  log(`${rate} events per second`)
  for (const { text, isFlat, from, to } of curves) {
    log(`memory ${text} ${from} MiB after the warm-up, ${to} MiB at the end`)
    if (!isFlat && !isShort) campaign.violations.add('memory', `${from} MiB after the warm-up, ${to} MiB at the end`)
  }
}

export const soakNotes = () => ({ eventsPerSecond: rate, memory: curves })
