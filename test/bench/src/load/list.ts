import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../clock.ts'
import type { User } from '../query/population.ts'
import { createHttpClient } from './http-client.ts'
import { recipientsOf } from './recipients.ts'
import type { Role } from './role.ts'
import { onSchedule } from './schedule.ts'

export type ListSetup = {
  readonly url: string
  readonly users: readonly User[]
  readonly recipients: number
}

/** Each costs several requests, which take from Herald what is measured. */
const lookedForPerSecond = 20
const pollMs = 3
/** The later an event, the fewer the requests for it: those for late events would make others late. */
const pollShare = 0.1
/** The first request comes when a good third of the events are listed: earlier ones would tell nothing of the upper half. */
const firstAtShareOfMedian = 0.75
const pageSize = 20
const timeoutMs = 180_000

/** Reads the list of a recipient until the event is in it, for some of the events. Latencies below the median are not exact. */
export async function createListReader({ url, users, recipients }: ListSetup): Promise<Role> {
  const client = createHttpClient(url)

  async function untilListed(sequence: number, intendedAt: number, firstAfterMs: number): Promise<number> {
    const [user] = recipientsOf(users, recipients, sequence) as [User]
    await pause(firstAfterMs)
    for (;;) {
      const text = await client.send('GET', '/', user.token)
      const elapsed = now() - intendedAt
      if (isListed(text, sequence)) return elapsed
      if (elapsed > timeoutMs) throw new Error(`Event ${sequence} was not listed`)
      await pause(Math.max(pollMs, elapsed * pollShare))
    }
  }

  return async (schedule) => {
    const every = Math.max(1, Math.round(schedule.perSecond / lookedForPerSecond))
    const median = createMedian()
    const listed: Promise<number>[] = []
    await onSchedule(schedule, (operations) => {
      for (const { sequence, intendedAt } of operations) {
        if (sequence % every !== 0) continue
        listed.push(untilListed(sequence, intendedAt, median.value() * firstAtShareOfMedian).then(median.add))
      }
    })
    return Float64Array.from(await Promise.all(listed))
  }
}

/** Also if a page of newer events has come since the last request. */
function isListed(page: string, sequence: number): boolean {
  const listed = Array.from(page.matchAll(/"anchor-(\d+)"/g), ([, found]) => Number(found))
  return listed.includes(sequence) || (listed.length === pageSize && listed.every((other) => other > sequence))
}

/** Follows the median of recent values: it rises by a step for each value above it, and falls by one for each below. */
function createMedian() {
  let median = 0
  return {
    value: () => median,
    add(value: number): number {
      const step = Math.max(1, median / 20)
      median += value > median ? step : -step
      return value
    },
  }
}
