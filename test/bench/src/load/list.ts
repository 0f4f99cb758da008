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
  /** One in this many events is looked for. */
  readonly every: number
}

const pollMs = 3
/** The later an event, the fewer the requests for it: those for late events would make others late. */
const pollShare = 0.1
const timeoutMs = 60_000

/** Reads the list of a recipient until the event is in it. */
export async function createListReader({ url, users, recipients, every }: ListSetup): Promise<Role> {
  const client = createHttpClient(url)

  async function untilListed(sequence: number, intendedAt: number): Promise<number> {
    const [user] = recipientsOf(users, recipients, sequence) as [User]
    for (;;) {
      const text = await client.send('GET', '/', user.token)
      const elapsed = now() - intendedAt
      if (text.includes(`"anchor-${sequence}"`)) return elapsed
      if (elapsed > timeoutMs) throw new Error(`Event ${sequence} was not listed`)
      await pause(Math.max(pollMs, elapsed * pollShare))
    }
  }

  return async (schedule) => {
    const listed: Promise<number>[] = []
    await onSchedule(schedule, (operations) => {
      for (const { sequence, intendedAt } of operations) {
        if (sequence % every === 0) listed.push(untilListed(sequence, intendedAt))
      }
    })
    return Float64Array.from(await Promise.all(listed))
  }
}
