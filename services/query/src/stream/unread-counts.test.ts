import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createTestClient } from './client.fixture.ts'
import { createUnreadCounts } from './unread-counts.ts'

function createTestCounts({ takesMs = 0, failures = 0, countMaxWaitMs = 200 } = {}) {
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
      return { unreadCount: counted.length, unseenCount: 0, seenUpTo: null }
    },
    logger: { warn: () => {} } as never,
    options: { countDebounceMs: 20, countMaxWaitMs, minPauseMs: 1, maxPauseMs: 5 },
    now: Date.now,
  })
  return { counts, counted, most }
}

test('a burst of changes causes one count, sent to every stream of the owner', async () => {
  const { counts, counted } = createTestCounts()
  const streams = [createTestClient(), createTestClient()]
  for (let n = 0; n < 100; n++) for (const { client } of streams) counts.request(client)
  while (streams.some(({ events }) => events.length === 0)) await wait(5)
  await wait(50)
  expect(counted).toEqual(['a'])
  for (const { events } of streams) expect(events).toMatchObject([{ data: '{"unreadCount":1,"unseenCount":0}' }])
})

test('continuous changes are counted at intervals', async () => {
  const { counts, counted } = createTestCounts({ countMaxWaitMs: 60 })
  const { client } = createTestClient()
  for (let n = 0; n < 40; n++) {
    counts.request(client)
    await wait(5)
  }
  expect(counted.length).toBeGreaterThanOrEqual(2)
})

test('changes during a count cause another count', async () => {
  const { counts, counted } = createTestCounts({ takesMs: 40 })
  const { client, events } = createTestClient()
  counts.request(client, { soon: true })
  while (counted.length === 0) await wait(1)
  counts.request(client)
  while (events.length < 2) await wait(5)
  expect(counted).toHaveLength(2)
  expect(events.at(-1)?.data).toBe('{"unreadCount":2,"unseenCount":0}')
})

test('retries a failed count, and skips clients that have left', async () => {
  const { counts, counted } = createTestCounts({ failures: 2 })
  const { client, events } = createTestClient()
  counts.request(client, { soon: true })
  while (events.length === 0) await wait(5)
  expect(events.map(({ data }) => data)).toEqual(['{"unreadCount":3,"unseenCount":0}'])
  const left = createTestClient({ owner: 'b' })
  counts.request(left.client)
  left.sink.close()
  await wait(60)
  expect(counted).not.toContain('b')
})
