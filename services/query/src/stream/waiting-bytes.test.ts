import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMetrics } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { streamByteBudget } from '../budgets.ts'
import { createTestClient } from './client.fixture.ts'
import { createWaitingBytes } from './waiting-bytes.ts'

const event = { event: 'notification', data: 'x'.repeat(900) }

/** Streams of some owners, with about 1 kB waiting for each event sent. A user has a share of 4 kB, a process 32 kB. */
function createStreams(owners: readonly string[]) {
  const budget = createMetrics().budgets.open(streamByteBudget, 32_000)
  const waitingBytes = createWaitingBytes(budget)
  const streams = owners.map((owner) => createTestClient({ owner, reads: false, onChange: waitingBytes.onChange }))
  async function send(index: number, count: number): Promise<void> {
    const { client } = streams[index] as (typeof streams)[number]
    for (let n = 0; n < count; n++) client.send(event, 'a')
    await nextTurn()
  }
  return { budget, streams, waitingBytes, send, ends: () => streams.map(({ ends }) => ends[0] ?? 'open') }
}

test('the slowest stream of a user beyond its share is cut, and no other', async () => {
  const { send, ends, budget } = createStreams(['eve', 'eve', 'eve', 'ada'])
  await send(3, 3)
  await send(0, 1)
  await send(1, 2)
  await send(2, 3)
  expect(ends()).toEqual(['open', 'open', 'too-slow', 'open'])
  expect(budget.held()).toBeLessThan(7_000)
})

test('all streams together have a sum', async () => {
  const { send, ends, budget } = createStreams(Array.from({ length: 20 }, (_, n) => `user ${n}`))
  for (let n = 0; n < 20; n++) await send(n, n === 7 ? 4 : 3)
  expect(ends().filter((end) => end === 'open').length).toBeGreaterThan(5)
  expect(ends()[7]).toBe('too-slow')
  expect(budget.held()).toBeLessThanOrEqual(32_000)
})

test('a reader that catches up, or is gone, holds nothing', async () => {
  const { send, streams, waitingBytes, budget } = createStreams(['ada', 'bob'])
  await send(0, 2)
  await send(1, 2)
  expect(budget.held()).toBeGreaterThan(3_000)
  streams[0]?.sink.drain()
  await nextTurn()
  expect(budget.held()).toBeLessThan(2_500)
  if (streams[1]) waitingBytes.forget(streams[1].client)
  expect(budget.held()).toBe(0)
})
