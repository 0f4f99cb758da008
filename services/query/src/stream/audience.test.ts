import { setTimeout as wait } from 'node:timers/promises'
import type { FeedChange } from '@herald/store'
import { expect, test } from '@jest/globals'
import { type ChangeStep, createAudience } from './audience.ts'
import { createTestClient } from './client.fixture.ts'

const readAt = new Date('2026-03-01T10:00:00Z')
const at = (n: number) => `${n}`.padStart(4, '0')

const part = (mark: string, id: string): FeedChange => ({ kind: 'part-of-bulk-mark', mark, id, readAt })
const end = (mark: string, upTo: string | null = null): FeedChange => ({ kind: 'end-of-bulk-mark', mark, upTo, readAt })
const unread = (id: string): FeedChange => ({ kind: 'read-state', id, readAt: null })

/** An audience of clients at some positions, and what each was told: the position and what of `data` is not the time. */
function createTestAudience(heldMs?: number, positions: readonly number[] = [0]) {
  const clients = positions.map((position) => createTestClient({ position: at(position) }))
  const audience = createAudience({
    decode: (step) => step.read(),
    members: clients.map(({ client }) => client),
    ...(heldMs === undefined ? {} : { heldMs }),
  })
  let position = 0
  const tell = (...changes: readonly FeedChange[]) => {
    for (const change of changes) {
      position++
      const step: ChangeStep = { kind: 'change', position: at(position), owner: 'a', read: () => change }
      audience.tell(step)
    }
  }
  const toldTo = (n: number) =>
    clients[n]?.events.map(({ data, lastEventId }) => {
      const { readAt: time, ...which } = JSON.parse(data)
      return [lastEventId, time === null ? 'unread' : 'read', which]
    })
  return { audience, tell, toldTo, client: clients[0]?.client }
}

test('the notifications of a bulk mark are told as one event, at the position of its end', () => {
  const { tell, toldTo } = createTestAudience()
  tell(part('m', '1'), part('m', '2'), part('m', '3'))
  expect(toldTo(0)).toEqual([])
  tell(end('m'))
  expect(toldTo(0)).toEqual([[at(4), 'read', { ids: ['1', '2', '3'] }]])
})

test('whatever happens to the same feed in between keeps its place', () => {
  const { tell, toldTo } = createTestAudience()
  tell(part('m', '1'), part('m', '2'), unread('1'), part('m', '3'), part('n', '1'), end('m'), end('n'))
  expect(toldTo(0)).toEqual([
    [at(2), 'read', { ids: ['1', '2'] }],
    [at(3), 'unread', { ids: ['1'] }],
    [at(4), 'read', { ids: ['3'] }],
    [at(7), 'read', { ids: ['1'] }],
  ])
})

test('more than 1,000 are not named, but up to which one', () => {
  const { tell, toldTo } = createTestAudience()
  const parts = (count: number) => Array.from({ length: count }, (_, n) => part('m', `${n}`))
  tell(...parts(1_001), end('m', 'x'))
  tell(...parts(1_000), end('m'))
  tell(...parts(1_001), unread('5'))
  expect(toldTo(0)?.map(([, , which]) => (which.ids ? which.ids.length : which))).toEqual([
    { all: true, upTo: 'x' },
    1_000,
    { all: true, upTo: null },
    1,
  ])
})

test('what is held is told when its end does not come, and when it is asked for', async () => {
  const killed = createTestAudience(20)
  killed.tell(part('m', '1'), part('m', '2'))
  while (killed.toldTo(0)?.length === 0) await wait(5)
  expect(killed.toldTo(0)).toEqual([[at(2), 'read', { ids: ['1', '2'] }]])
  const asked = createTestAudience()
  asked.tell(part('m', '1'))
  asked.audience.tellHeld('a')
  asked.tell(end('m'))
  expect([asked.toldTo(0), asked.client?.position]).toEqual([[[at(1), 'read', { ids: ['1'] }]], at(1)])
})

test('a client that knows all of it is told nothing, and one that knows a part is told of the rest', () => {
  const { tell, toldTo } = createTestAudience(undefined, [0, 1, 2, 3])
  tell(part('m', '1'), part('m', '2'), end('m'))
  expect([0, 1, 2, 3].map((n) => toldTo(n)?.length)).toEqual([1, 1, 0, 0])
})
