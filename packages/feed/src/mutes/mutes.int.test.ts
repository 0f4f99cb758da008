import { limits } from '@herald/contracts'
import { eachAtOnce } from '@herald/mongo'
import { at, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestFeed } from '../test-feed.fixture.ts'

const { store, database, subscriberId, examined, migrate, close } = createTestFeed({ profiled: true })
beforeAll(migrate)
afterAll(close)

const mutesOf = (recipientId: string, subscriber = subscriberId) =>
  store.mutes.of({ subscriberId: subscriber, recipientId })
const location = (n: number) => ({ kind: 'location', id: uuid(n) }) as const
const actor = (n: number) => ({ kind: 'actor', id: uuid(n) }) as const

test('lists what is muted, last set first, without what is over', async () => {
  const mutes = mutesOf(uuid(10))
  expect(await mutes.set(location(1), undefined, at(1))).toEqual({ ...location(1), until: null })
  expect(await mutes.set(actor(1), at(10), at(2))).toEqual({ ...actor(1), until: '2126-01-01T00:00:10Z' })
  await mutes.set(location(2), at(5), at(3))
  const shown = async (seconds: number) => (await mutes.list(at(seconds))).map(({ kind, id }) => ({ kind, id }))
  expect(await shown(4)).toEqual([location(2), actor(1), location(1)])
  expect(await shown(5)).toEqual([actor(1), location(1)])
  await mutes.set(location(1), at(100), at(6))
  expect(await mutes.list(at(7))).toMatchObject([{ ...location(1), until: '2126-01-01T00:01:40Z' }, actor(1)])
  await mutes.remove(location(1))
  await mutes.remove(location(1))
  expect(await shown(7)).toEqual([actor(1)])
})

test('belong to one user of one subscriber', async () => {
  await mutesOf(uuid(11)).set(location(1), undefined, at(1))
  expect(await mutesOf(uuid(12)).list(at(2))).toEqual([])
  expect(await mutesOf(uuid(11), uuid(3)).list(at(2))).toEqual([])
  await mutesOf(uuid(12)).remove(location(1))
  expect(await mutesOf(uuid(11)).list(at(2))).toHaveLength(1)
})

test(`a user has at most ${limits.mutes}; what is over does not count, and one of them can be set again`, async () => {
  const mutes = mutesOf(uuid(13))
  const all = Array.from({ length: limits.mutes }, (_, n) => n)
  await eachAtOnce(all, 20, (n) => mutes.set(location(n), n < 2 ? at(50) : undefined, at(1)))
  expect(await mutes.set(actor(1), undefined, at(40))).toBeUndefined()
  expect(await mutes.set(location(7), at(90), at(40))).toBeDefined()
  expect(await mutes.set(actor(1), undefined, at(60))).toBeDefined()
  expect(await mutes.list(at(60))).toHaveLength(limits.mutes - 1)
})

test('MongoDB deletes what is over, and a list reads only the user’s own', async () => {
  const [expiry] = await database
    .collection('mutes')
    .indexes()
    .then((all) => all.filter(({ name }) => name === 'expiry'))
  expect(expiry).toMatchObject({ key: { until: 1 }, expireAfterSeconds: 0 })
  const lines = await examined('mutes', () => mutesOf(uuid(11)).list(at(2)))
  expect(lines).toMatchObject([{ keys: 1, documents: 1 }])
})
