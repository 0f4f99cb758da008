import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { type ChangeStep, createAudience } from './audience.ts'
import { createTestClient } from './client.fixture.ts'
import type { StreamClient } from './client.ts'
import { createErasureFence } from './erasure-fence.ts'
import { createLastErasures } from './last-erasures.ts'

const at = (second: number) => `82${second.toString(16).padStart(8, '0')}00000001`
const change = (owner: string, second: number): ChangeStep => ({
  kind: 'change',
  position: at(second),
  owner,
  read: () => ({ kind: 'notification', json: '{}' }),
})

/** Feeds of two subscribers; `erasures` are their last ones, in seconds. */
function createTestFence() {
  const erasures: Record<string, number> = {}
  const reads: (readonly string[])[] = []
  const reset: StreamClient[] = []
  const [a, b] = ['a', 'b'].map((owner) => createTestClient({ position: at(0), owner }).client)
  if (!a || !b) throw new Error()
  const listeners = createAudience({ decode: (step) => step.read(), members: [a, b], onMasked: () => {} })
  const lastErasures = createLastErasures(async (ids) => {
    reads.push(ids)
    return new Map(ids.flatMap((id) => (erasures[id] === undefined ? [] : [[id, `${at(erasures[id])}FF`]])))
  })
  const fence = createErasureFence({ listeners, lastErasures, reset: (client) => void reset.push(client) })
  return { erasures, reads, reset, a, b, listeners, fence }
}

test('keeps a change from before an erasure from its clients, who are reset once the stream has passed it', async () => {
  const { erasures, reset, a, b, listeners, fence } = createTestFence()
  erasures.a = 20
  await fence.check(change('a', 19))
  await fence.check(change('b', 19))
  expect(listeners.members()).toEqual([b])
  fence.pass(at(19))
  fence.pass(at(20))
  expect(reset).toEqual([])
  fence.pass(at(21))
  fence.pass(at(22))
  expect(reset).toEqual([a])
})

test('lets a change after an erasure pass, and forgets a client that has left', async () => {
  const { erasures, reset, a, b, listeners, fence } = createTestFence()
  erasures.a = erasures.b = 20
  await fence.check(change('a', 21))
  expect(listeners.members()).toEqual([a, b])
  await fence.check(change('b', 20))
  fence.forget(b)
  fence.pass(at(30))
  expect([listeners.members(), reset]).toEqual([[a], []])
})

test('reads the erasures of all subscribers at once, at most once a second, and of one that joins meanwhile', async () => {
  const { reads, listeners, fence } = createTestFence()
  await fence.check(change('c', 1))
  for (let second = 1; second < 100; second++) for (const owner of ['a', 'b']) await fence.check(change(owner, second))
  expect(reads).toEqual([['a', 'b']])
  listeners.add(createTestClient({ owner: 'c' }).client)
  await fence.check(change('c', 100))
  expect(reads).toEqual([['a', 'b'], ['c']])
  await wait(1_100)
  await fence.check(change('b', 101))
  expect(reads.slice(2)).toEqual([['a', 'b', 'c']])
})
