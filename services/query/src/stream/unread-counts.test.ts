import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createTestClient } from './client.fixture.ts'
import { createUnreadCounts } from './unread-counts.ts'

function createTestCounts({ takesMs = 0, failures = 0, countsAtOnce = 8, countMaxWaitMs = 200 } = {}) {
  const counted: string[] = []
  let left = failures
  let running = 0
  const most = { atOnce: 0 }
  const counts = createUnreadCounts({
    async count({ recipientId }) {
      counted.push(recipientId)
      most.atOnce = Math.max(most.atOnce, ++running)
      await wait(takesMs)
      running--
      if (left-- > 0) throw new Error('Away')
      return counted.length
    },
    logger: { warn: () => {} } as never,
    options: { countDebounceMs: 20, countMaxWaitMs, countsAtOnce, minPauseMs: 1, maxPauseMs: 5 },
    now: Date.now,
  })
  return { counts, counted, most }
}

test('a burst costs one count, told to every stream of its owner', async () => {
  const { counts, counted } = createTestCounts()
  const streams = [createTestClient(), createTestClient()]
  for (let n = 0; n < 100; n++) for (const { client } of streams) counts.want(client)
  while (streams.some(({ events }) => events.length === 0)) await wait(5)
  await wait(50)
  expect(counted).toEqual(['a'])
  for (const { events } of streams) expect(events).toMatchObject([{ data: '{"unreadCount":1}' }])
})

test('changes without end are counted now and then all the same', async () => {
  const { counts, counted } = createTestCounts({ countMaxWaitMs: 60 })
  const { client } = createTestClient()
  for (let n = 0; n < 40; n++) {
    counts.want(client)
    await wait(5)
  }
  expect(counted.length).toBeGreaterThanOrEqual(2)
})

test('what changes while it is counted is counted again', async () => {
  const { counts, counted } = createTestCounts({ takesMs: 40 })
  const { client, events } = createTestClient()
  counts.want(client, { soon: true })
  while (counted.length === 0) await wait(1)
  counts.want(client)
  while (events.length < 2) await wait(5)
  expect(counted).toHaveLength(2)
  expect(events.at(-1)?.data).toBe('{"unreadCount":2}')
})

test('a count that fails is tried again, and nobody counts for who has left', async () => {
  const { counts, counted } = createTestCounts({ failures: 2 })
  const { client, events } = createTestClient()
  counts.want(client, { soon: true })
  while (events.length === 0) await wait(5)
  expect(events.map(({ data }) => data)).toEqual(['{"unreadCount":3}'])
  const left = createTestClient({ owner: 'b' })
  counts.want(left.client)
  left.sink.close()
  await wait(60)
  expect(counted).not.toContain('b')
})

test('only so many are counted at once', async () => {
  const { counts, counted, most } = createTestCounts({ takesMs: 5, countsAtOnce: 3 })
  for (let n = 0; n < 30; n++) counts.want(createTestClient({ owner: `${n}` }).client, { soon: true })
  while (counted.length < 30) await wait(5)
  expect([counted.length, most.atOnce]).toEqual([30, 3])
})
