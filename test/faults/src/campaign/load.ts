import type { GroupOffsets, Positions } from '../oracle/group-offsets.ts'
import type { Ledger } from '../oracle/ledger.ts'
import { pause, until } from '../until.ts'
import type { Producer } from './producer.ts'

/** A fault that strikes fewer records than these proves nothing. */
export const leastInFlight = 1_000

export interface ProduceOptions {
  /** How often each event is produced. */
  copies?: number
  /** Whether one in a hundred can never succeed. */
  poison?: boolean
  /** Events a second; as fast as it goes unless told. */
  rate?: number
}

/** Keeps the campaign's processes busy. */
export interface Load {
  /** The next events of the plan; resolves when all are acknowledged. */
  produce(count: number, options?: ProduceOptions): Promise<void>
  producePoison(order: { count: number; kind: 'mention' | 'change'; partition: number; pad: number }): Promise<void>
  /** Produces until enough is in flight, and says how much it is. */
  fill(options?: ProduceOptions): Promise<number>
  /** Records acknowledged and not committed now. Throws while the broker is away. */
  inFlight(): Promise<number>
  /** Waits until most of what was in flight is committed: every partition moves again. */
  caughtUp(): Promise<void>
  settled(): Promise<void>
}

export interface LoadDependencies {
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
      // Event 41 of every even hundred is one that can never succeed.
      const only = Array.from({ length: count }, (_, index) => next + index * 2 * poisonSlots + 41)
      next += count * 2 * poisonSlots
      last = producer.produce({ only, ...order })
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
        log(`only ${records} in flight of ${size}, more is produced`)
      }
    },
    async caughtUp() {
      await last
      await until('the group to catch up', async () => (await inFlight()) < leastInFlight / 2)
    },
    settled: () => last,
  }
}

function difference(acknowledged: Positions, committed: Positions): number {
  let sum = 0
  for (const [name, count] of acknowledged) sum += Math.max(0, count - (committed.get(name) ?? 0))
  return sum
}
