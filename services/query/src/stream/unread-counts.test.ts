import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createTestClient } from './client.fixture.ts'
import { createUnreadCounts } from './unread-counts.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds)

/** Lets time pass until it is so, a minute at most. */
async function until(isSo: () => boolean): Promise<void> {
  for (let passed = 0; !isSo(); passed++) {
    if (passed > 60_000) throw new Error(`Never: ${isSo}`)
    await pass(1)
  }
}

function createTestCounts({ takesMs = 0, failures = 0, countMaxWaitMs = 200, countsAtOnce = 4, countRests = 0 } = {}) {
  const counted: string[] = []
  let left = failures
  let running = 0
  const most = { atOnce: 0 }
  const begunAt: number[] = []
  const counts = createUnreadCounts({
    async count({ recipientId }) {
      counted.push(recipientId)
      begunAt.push(performance.now())
      most.atOnce = Math.max(most.atOnce, ++running)
      await new Promise((resolve) => setTimeout(resolve, takesMs))
      running--
      if (left-- > 0) throw new Error('Away')
      return { unreadCount: counted.length, unseenCount: 0, seenUpTo: null }
    },
    logger: { warn: () => {} } as never,
    options: { countDebounceMs: 20, countMaxWaitMs, countsAtOnce, countRests, minPauseMs: 1, maxPauseMs: 5 },
    now: Date.now,
  })
  return { counts, counted, most, begunAt }
}

test('a burst of changes causes one count, sent to every stream of the owner', async () => {
  const { counts, counted } = createTestCounts()
  const streams = [createTestClient(), createTestClient()]
  for (let n = 0; n < 100; n++) for (const { client } of streams) counts.request(client)
  await until(() => streams.every(({ events }) => events.length > 0))
  await pass(50)
  expect(counted).toEqual(['a'])
  for (const { events } of streams) expect(events).toMatchObject([{ data: '{"unreadCount":1,"unseenCount":0}' }])
})

test('continuous changes are counted at intervals', async () => {
  const { counts, counted } = createTestCounts({ countMaxWaitMs: 60 })
  const { client } = createTestClient()
  for (let n = 0; n < 40; n++) {
    counts.request(client)
    await pass(5)
  }
  expect(counted.length).toBeGreaterThanOrEqual(2)
})

test('changes during a count cause another count', async () => {
  const { counts, counted } = createTestCounts({ takesMs: 40 })
  const { client, events } = createTestClient()
  counts.request(client, { soon: true })
  await until(() => counted.length > 0)
  counts.request(client)
  await until(() => events.length === 2)
  expect(counted).toHaveLength(2)
  expect(events.at(-1)?.data).toBe('{"unreadCount":2,"unseenCount":0}')
})

test('owners take turns, and what changes before the turn of one is counted in it', async () => {
  const { counts, counted, most } = createTestCounts({ takesMs: 300, countsAtOnce: 2 })
  const owners = ['a', 'b', 'c', 'd', 'e']
  const streams = owners.map((owner) => createTestClient({ owner }))
  const request = () => {
    for (const { client } of streams) counts.request(client, { soon: true })
  }
  request()
  await until(() => counted.length === 2)
  request()
  // The first two are counted once more, because the change came during their counts.
  await until(() => counted.length >= 7 && streams.every(({ events }) => events.length > 0))
  await pass(100)
  expect(most.atOnce).toBe(2)
  expect(counted.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'd', 'e'])
})

test.each([
  ['in proportion to the count before', { takesMs: 40, countMaxWaitMs: 10_000 }, 160, 10_000],
  ['not longer than a change may wait, after a count that hung', { takesMs: 200, countMaxWaitMs: 60 }, 260, 800],
])('the next count waits, %s', async (_name, options, leastMs, mostMs) => {
  const { counts, begunAt } = createTestCounts({ ...options, countsAtOnce: 1, countRests: 3 })
  for (const owner of ['a', 'b']) counts.request(createTestClient({ owner }).client, { soon: true })
  await until(() => begunAt.length === 2)
  const [first, second] = begunAt as [number, number]
  expect(second - first).toBeGreaterThanOrEqual(leastMs)
  expect(second - first).toBeLessThan(mostMs)
})

test('retries a failed count, and skips clients that have left', async () => {
  const { counts, counted } = createTestCounts({ failures: 2 })
  const { client, events } = createTestClient()
  counts.request(client, { soon: true })
  await until(() => events.length > 0)
  expect(events.map(({ data }) => data)).toEqual(['{"unreadCount":3,"unseenCount":0}'])
  const left = createTestClient({ owner: 'b' })
  counts.request(left.client)
  left.sink.close()
  await pass(60)
  expect(counted).not.toContain('b')
})
