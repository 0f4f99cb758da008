import type { GroupOffsets, Positions } from '../oracle/group-offsets.ts'
import type { Ledger } from '../oracle/ledger.ts'
import { pause, until } from '../until.ts'
import type { Producer } from './producer.ts'

/** A fault with fewer records in flight proves nothing. */
export const leastInFlight = 1_000

export type ProduceOptions = {
  /** How often each event is produced. */
  copies?: number
  /** Whether to include the poison records, one in a hundred. */
  poison?: boolean
  /** Events per second; unlimited by default. */
  rate?: number
}

/** Produces the load of a campaign. */
export type Load = {
  /** Produces the next events of the plan; resolves when all are acknowledged. */
  produce(count: number, options?: ProduceOptions): Promise<void>
  producePoison(order: { count: number; kind: 'mention' | 'change'; partition: number; pad: number }): Promise<void>
  /** Produces a record or a batch beyond every bound; `count` is the number of records where the name implies none. */
  produceBounds(order: { bounds: string; partition: number; count?: number }): Promise<void>
  /** Produces until enough records are in flight, and returns their number. */
  fill(options?: ProduceOptions): Promise<number>
  /** The number of records acknowledged but not committed. Throws while the broker is unavailable. */
  inFlight(): Promise<number>
  /** Waits until most of the records in flight are committed. */
  caughtUp(): Promise<void>
  settled(): Promise<void>
}

export type LoadDependencies = {
  ledger: Ledger
  offsets: GroupOffsets
  producer: Producer
  log: (line: string) => void
}

const eventsPerOrder = 4_000
const poisonSlots = 100

export function createLoad({ ledger, offsets, producer, log }: LoadDependencies): Load {
  let next = 0
  let last: Promise<void> = Promise.resolve()

  const produce = (count: number, { copies = 1, poison = true, rate = 0 }: ProduceOptions = {}): Promise<void> => {
    const from = next
    next += count
    last = producer.produce({ from, to: next, copies, poison, rate })
    return last
  }

  const inFlight = async (): Promise<number> => {
    await ledger.refresh()
    const acknowledged = new Map([...ledger.partitions].map(([name, partition]) => [name, partition.acknowledged()]))
    return difference(acknowledged, await offsets.committed())
  }

  return {
    produce,
    inFlight,
    producePoison({ count, ...order }) {
      // Event 41 of every even hundred is a poison record.
      const only = Array.from({ length: count }, (_, index) => next + index * 2 * poisonSlots + 41)
      next += count * 2 * poisonSlots
      last = producer.produce({ only, ...order })
      return last
    },
    produceBounds({ bounds, partition, count = 1 }) {
      // From a full hundred on, so that the first event is a good mention.
      const n = Math.ceil(next / poisonSlots) * poisonSlots
      next = n + Math.max(count, poisonSlots)
      last = producer.produce({ bounds, n, count, kind: 'mention', partition })
      return last
    },
    async fill(options) {
      for (let size = eventsPerOrder; ; size *= 2) {
        let isDone = false
        const done = produce(size, options).finally(() => {
          isDone = true
        })
        done.catch(() => {})
        while (!isDone) {
          const records = await inFlight()
          if (records >= leastInFlight) return records
          await pause(5)
        }
        await done
        const records = await inFlight()
        if (records >= leastInFlight) return records
        log(`only ${records} of ${size} records in flight, producing more`)
      }
    },
    async caughtUp() {
      await last
      await until('the group to catch up', async () => (await inFlight()) < leastInFlight / 2, {
        withinMs: 600_000,
      })
    },
    settled: () => last,
  }
}

function difference(acknowledged: Positions, committed: Positions): number {
  let sum = 0
  for (const [name, count] of acknowledged) sum += Math.max(0, count - (committed.get(name) ?? 0))
  return sum
}
