import { at, idAt, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newNotification } from '../new-notification.fixture.ts'
import { createTestFeed } from '../test-feed.fixture.ts'

const { store, subscriberId, examined, migrate, close } = createTestFeed({ profiled: true })
beforeAll(migrate)
afterAll(close)

let owners = 100
async function stored(seconds: readonly number[]) {
  const n = owners++
  const recipientId = uuid(n)
  const ids = seconds.map((second) => idAt(second * 1_000, n))
  const add = (...added: readonly string[]) =>
    store.notifications.insertNew(added.map((id) => newNotification(id, { subscriberId, recipientIds: [recipientId] })))
  await add(...ids)
  return {
    ids,
    add,
    idOf: (second: number) => idAt(second * 1_000, n),
    feed: store.notifications.of({ subscriberId, recipientId }),
  }
}
const counts = (unreadCount: number, unseenCount: number, seenUpTo: string | null | undefined) => ({
  unreadCount,
  unseenCount,
  seenUpTo,
})

test('nothing is seen before the first call, which marks what is stored', async () => {
  const { ids, feed } = await stored([1, 2, 3])
  expect(await feed.counts()).toEqual(counts(3, 3, null))
  await feed.markSeen(undefined, at(10))
  expect(await feed.counts()).toEqual(counts(3, 0, ids[2]))
})

test('in an empty feed there is nothing to mark', async () => {
  const { feed } = await stored([])
  await feed.markSeen(undefined, at(10))
  expect(await feed.counts()).toEqual(counts(0, 0, null))
})

test('up to what was shown, so that what came behind it stays unseen; the mark is a stored one, and never goes back', async () => {
  const { ids, add, idOf, feed } = await stored([1, 2, 4])
  await feed.markSeen(idOf(3), at(10))
  expect(await feed.counts()).toEqual(counts(3, 1, ids[1]))
  await feed.markSeen(ids[0], at(10))
  expect(await feed.counts()).toEqual(counts(3, 1, ids[1]))
  await add(idOf(5))
  expect(await feed.counts()).toEqual(counts(4, 2, ids[1]))
})

test('a late one below the mark counts as seen, one dated ahead stays unseen', async () => {
  const { ids, add, idOf, feed } = await stored([2, 4])
  await add(idOf(100))
  await feed.markSeen(undefined, at(10))
  expect(await feed.counts()).toEqual(counts(3, 1, ids[1]))
  await add(idOf(3))
  expect(await feed.counts()).toEqual(counts(4, 1, ids[1]))
  await feed.markSeen(idOf(100), at(10))
  expect((await feed.counts()).unseenCount).toBe(1)
  await feed.markSeen(undefined, at(100))
  expect(await feed.counts()).toEqual(counts(4, 0, idOf(100)))
})

test('read and archived ones are not unseen; an archived one can be the newest that was seen', async () => {
  const { ids, feed } = await stored([1, 2, 3])
  await feed.archive(ids[2] as string, at(5))
  await feed.markRead(ids[1] as string, at(5))
  expect(await feed.counts()).toEqual(counts(1, 1, null))
  await feed.markSeen(undefined, at(10))
  expect(await feed.counts()).toEqual(counts(1, 0, ids[2]))
})

test('counts examine no document and each key once or twice', async () => {
  const { ids, feed } = await stored(Array.from({ length: 40 }, (_, n) => n))
  await feed.markSeen(ids[29], at(100))
  const lines = await examined('notifications', () => feed.counts())
  expect(lines.map(({ documents }) => documents)).toEqual([0, 0])
  expect(lines.map(({ keys }) => keys).sort()).toEqual([11, 41])
})
