import { eventually } from '@herald/test-servers'
import { now } from '../clock.ts'
import type { User } from '../query/population.ts'
import { createStreamReaders } from '../query/stream-readers.ts'
import { recipientsOf } from './recipients.ts'
import type { Role } from './role.ts'
import { dueAt, type Schedule } from './schedule.ts'

export type ListenSetup = {
  readonly url: string
  readonly users: readonly User[]
  readonly recipients: number
  /** The number of users with a stream, evenly spread. */
  readonly streams: number
}

const timeoutMs = 60_000

/** Opens streams, and waits for all events to them. */
export async function createListeners({ url, users, recipients, streams }: ListenSetup): Promise<Role> {
  let current: Schedule | undefined
  let latencies: number[] = []
  const readers = createStreamReaders((sequence) => {
    if (current && sequence >= current.first) latencies.push(now() - dueAt(current, sequence))
  })
  const listening = Array.from({ length: streams }, (_, i) => users[Math.floor((i * users.length) / streams)] as User)
  await readers.open(
    url,
    listening.map(({ token }) => token),
  )
  const isListening = new Set(listening.map(({ userId }) => userId))

  return async (schedule) => {
    latencies = []
    current = schedule
    let expected = 0
    for (let i = 0; i < schedule.count; i++) {
      const named = recipientsOf(users, recipients, schedule.first + i)
      expected += named.filter(({ userId }) => isListening.has(userId)).length
    }
    await eventually(async () => latencies.length >= expected && now() > dueAt(schedule, schedule.first), {
      description: `${expected} events are on streams`,
      within: (schedule.count / schedule.perSecond) * 1_000 + timeoutMs,
      every: 20,
    })
    return Float64Array.from(latencies)
  }
}
