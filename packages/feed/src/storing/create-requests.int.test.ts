import { randomUUID } from 'node:crypto'
import { idAt, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newNotification } from '../new-notification.fixture.ts'
import { createTestFeed } from '../test-feed.fixture.ts'

const { store, subscriberId, migrate, close } = createTestFeed()
const key = (idempotencyKey: string) => ({ subscriberId, userId: uuid(2), idempotencyKey })
const body = Buffer.alloc(32, 1)
/** In the future, because MongoDB deletes requests that have expired by its own clock. */
const start = Date.parse('2100-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1_000)
/** A notification with this text. */
const saying = (metadata: string) => ({ notification: expect.objectContaining({ metadata }) })
const reserve = (requestKey: ReturnType<typeof key>, hash: Buffer, metadata: string, now: Date) =>
  store.createRequests.reserve(requestKey, hash, newNotification(idAt(1), { metadata }), now)

beforeAll(migrate)
afterAll(close)

test('reserves the first request, lets the next wait, and returns the same content to both once finished', async () => {
  const first = await reserve(key('a'), body, 'first', at(0))
  expect(first).toMatchObject({ kind: 'reserved', ...saying('first') })
  expect(await reserve(key('a'), body, 'second', at(1))).toEqual({ kind: 'in-progress', until: at(30) })
  if (first.kind === 'reserved') await first.finish()
  expect(await reserve(key('a'), body, 'third', at(2))).toEqual({ kind: 'finished', ...saying('first') })
})

test('reports another body under the same key, before and after the first has finished', async () => {
  await reserve(key('b'), body, 'first', at(0))
  expect(await reserve(key('b'), Buffer.alloc(32, 2), 'other', at(1))).toEqual({ kind: 'other-body' })
})

test('lets one of many requests take over after the lease, with the content reserved first', async () => {
  await reserve(key('c'), body, 'first', at(0))
  const takers = await Promise.all([1, 2, 3, 4].map((n) => reserve(key('c'), body, `taker ${n}`, at(31))))
  expect(takers.filter(({ kind }) => kind === 'reserved')).toMatchObject([{ ...saying('first') }])
  expect(takers.filter(({ kind }) => kind === 'in-progress')).toHaveLength(3)
})

test('lets a request take over a lease that was taken before the clock of MongoDB was set back', async () => {
  await reserve(key('c2'), body, 'first', at(7_200))
  expect(await reserve(key('c2'), body, 'second', at(7_195))).toMatchObject({ kind: 'in-progress' })
  expect(await reserve(key('c2'), body, 'third', at(0))).toMatchObject({ kind: 'reserved', ...saying('first') })
})

test('releases the lease of a failed request', async () => {
  const first = await reserve(key('d'), body, 'first', at(0))
  if (first.kind === 'reserved') await first.release()
  expect(await reserve(key('d'), body, 'second', at(1))).toMatchObject({ kind: 'reserved', ...saying('first') })
})

test('frees the key after 24 hours', async () => {
  const first = await reserve(key('e'), body, 'first', at(0))
  if (first.kind === 'reserved') await first.finish()
  expect(await reserve(key('e'), body, 'x', at(24 * 3_600 - 1))).toMatchObject({ kind: 'finished' })
  expect(await reserve(key('e'), body, 'second', at(24 * 3_600))).toMatchObject({
    kind: 'reserved',
    ...saying('second'),
  })
})

test('keeps the keys of users and subscribers apart', async () => {
  await reserve(key('f'), body, 'first', at(0))
  const another = { ...key('f'), userId: uuid(3) }
  expect(await reserve(another, body, 'another', at(1))).toMatchObject({ kind: 'reserved', ...saying('another') })
  const elsewhere = { ...key('f'), subscriberId: randomUUID() as string }
  expect(await reserve(elsewhere, body, 'elsewhere', at(1))).toMatchObject({ kind: 'reserved', ...saying('elsewhere') })
})
