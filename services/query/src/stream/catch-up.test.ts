import { setTimeout as wait } from 'node:timers/promises'
import type { FeedStep } from '@herald/feed'
import { expect, test } from '@jest/globals'
import { createCatchUp } from './catch-up.ts'
import { createTestClient } from './client.fixture.ts'
import type { StreamClient } from './client.ts'
import { createLastErasures } from './last-erasures.ts'

/** A position of MongoDB at this second. */
const at = (second: number) => `82${second.toString(16).padStart(8, '0')}00000001`
const secondOf = (position: string) => Number.parseInt(position.slice(2, 10), 16)

/** A log of changes of `a`, one per position, whose beginning may be lost. */
function createTestCatchUp({ end = 100, oldest = 0, live = 0, failures = 0 } = {}) {
  const starts: string[] = []
  const caughtUp: StreamClient[] = []
  const lost: StreamClient[] = []
  const erased: StreamClient[] = []
  /** In seconds, by subscriber. */
  const erasures = new Map<string, number>()
  const lastErasedAt = async (ids: readonly string[]) =>
    new Map([...erasures].filter(([id]) => ids.includes(id)).map(([id, second]) => [id, `${at(second)}FF`]))
  let left = failures
  const catchUp = createCatchUp({
    async *watch({ after = at(0) }): AsyncGenerator<FeedStep, void, void> {
      starts.push(after)
      if (left-- > 0) throw new Error('Away')
      if (secondOf(after) < oldest) return yield { kind: 'lost' }
      for (let n = secondOf(after) + 1; n <= end; n++) {
        await wait(0)
        yield {
          kind: 'change',
          position: at(n),
          owner: 'a',
          read: () => ({ kind: 'read-state', id: at(n), readAt: null }),
        }
      }
      for (;;) {
        await wait(1)
        yield { kind: 'position', position: at(end) }
      }
    },
    decode: (step) => step.read(),
    livePosition: () => at(live || end),
    onCaughtUp: (client) => void caughtUp.push(client),
    onLost: (client) => void lost.push(client),
    lastErasures: createLastErasures(lastErasedAt),
    onErased: (client) => void erased.push(client),
    logger: { warn: () => {} } as never,
    options: { catchUpWindowMs: 5, minPauseMs: 1, maxPauseMs: 2 },
  })
  const settled = async (count: number) => {
    for (let n = 0; n < 15_000 && caughtUp.length + lost.length + erased.length < count; n++) await wait(1)
  }
  return { catchUp, starts, caughtUp, lost, erased, erasures, settled }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => at(from + n))
const dataOf = ({ events }: ReturnType<typeof createTestClient>) => events.map(({ data }) => JSON.parse(data).ids[0])

test('serves waiting clients together from the smallest position, each from its own', async () => {
  const { catchUp, starts, caughtUp, settled } = createTestCatchUp()
  const clients = [30, 99, 10, 100].map((n) => createTestClient({ position: at(n) }))
  for (const { client } of clients) catchUp.add(client)
  await settled(4)
  expect(starts).toEqual([at(10)])
  expect(clients.map(dataOf)).toEqual([range(31, 100), range(100, 100), range(11, 100), []])
  expect(caughtUp.map(({ position }) => position)).toEqual(Array(4).fill(at(100)))
  await catchUp.close()
})

test('a new client joins if its position is still ahead, and is otherwise served next', async () => {
  const { catchUp, starts, settled } = createTestCatchUp({ end: 300 })
  const [first, ahead, behind] = [10, 299, 1].map((n) => createTestClient({ position: at(n) }))
  if (!first || !ahead || !behind) throw new Error()
  catchUp.add(first.client)
  while (first.events.length < 20) await wait(1)
  catchUp.add(ahead.client)
  catchUp.add(behind.client)
  await settled(3)
  expect(starts).toEqual([at(10), at(1)])
  expect([dataOf(first), dataOf(ahead), dataOf(behind)]).toEqual([range(11, 300), range(300, 300), range(2, 300)])
  await catchUp.close()
})

test('finds lost positions in a few attempts, without affecting other clients', async () => {
  const { catchUp, starts, lost, caughtUp, settled } = createTestCatchUp({ oldest: 900, end: 1_000 })
  const clients = Array.from({ length: 1_000 }, (_, n) => createTestClient({ position: at(n) }).client)
  for (const client of clients) catchUp.add(client)
  await settled(1_000)
  expect(lost.map(({ position }) => position).sort()).toEqual(range(0, 899))
  expect(caughtUp).toHaveLength(100)
  expect(starts.length).toBeLessThan(30)
  await catchUp.close()
})

test('resumes from the position of each client after an error', async () => {
  const { catchUp, starts, settled } = createTestCatchUp({ failures: 3 })
  const one = createTestClient({ position: at(50) })
  catchUp.add(one.client)
  await settled(1)
  expect(starts).toEqual(Array(4).fill(at(50)))
  expect(dataOf(one)).toEqual(range(51, 100))
  await catchUp.close()
})

test('sets a congested client aside without delaying others, and resumes it later', async () => {
  const { catchUp, starts, caughtUp, settled } = createTestCatchUp()
  const slow = createTestClient({ position: at(0), reads: false, options: { maxCatchUpBytes: 500 } })
  const quick = createTestClient({ position: at(0) })
  catchUp.add(slow.client)
  catchUp.add(quick.client)
  await settled(1)
  expect(caughtUp).toEqual([quick.client])
  expect(slow.events.length).toBeLessThan(20)
  slow.sink.isReading = true
  slow.sink.drain()
  await settled(2)
  expect(dataOf(slow)).toEqual(range(1, 100))
  expect(starts).toHaveLength(2)
  await catchUp.close()
})

test('hands over only when level with the live stream, and reads nothing for disconnected clients', async () => {
  const { catchUp, starts, caughtUp } = createTestCatchUp({ end: 10, live: 11 })
  const one = createTestClient({ position: at(0) })
  catchUp.add(one.client)
  while (one.events.length < 10) await wait(1)
  await wait(20)
  expect([caughtUp, dataOf(one)]).toEqual([[], range(1, 10)])
  catchUp.remove(one.client)
  await wait(20)
  const other = createTestClient({ position: at(5) })
  catchUp.add(other.client)
  while (starts.length < 2) await wait(1)
  expect(starts).toEqual([at(0), at(5)])
  catchUp.remove(other.client)
  await catchUp.close()
})

test('drops a client before a change that is older than an erasure', async () => {
  const { catchUp, caughtUp, erased, erasures, settled } = createTestCatchUp()
  const before = createTestClient({ position: at(10) })
  const other = createTestClient({ position: at(10), owner: 'b' })
  for (const { client } of [before, other]) catchUp.add(client)
  erasures.set('a', 60).set('b', 200)
  await settled(2)
  expect([erased, before.events, caughtUp]).toEqual([[before.client], [], [other.client]])
  const after = createTestClient({ position: at(60) })
  catchUp.add(after.client)
  await settled(3)
  expect([dataOf(after), caughtUp]).toEqual([range(61, 100), [other.client, after.client]])
  await catchUp.close()
})

test('notices an erasure that is accepted while it sends changes', async () => {
  const { catchUp, erased, erasures, settled } = createTestCatchUp({ end: 10_000 })
  const one = createTestClient({ position: at(0) })
  catchUp.add(one.client)
  while (one.events.length < 100) await wait(1)
  erasures.set('a', 20_000)
  await settled(1)
  expect(erased).toEqual([one.client])
  expect(one.events.length).toBeLessThan(10_000)
  await catchUp.close()
})
