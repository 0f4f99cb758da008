import { toKey } from '@herald/mongo'
import { at, idAt, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { boxes } from './documents/notification-document.ts'
import type { FeedQuery } from './lists/list-page.ts'
import { newNotification, pageIn } from './new-notification.fixture.ts'
import { createTestFeed } from './test-feed.fixture.ts'

const { store, subscriberId, collections, examined, migrate, close } = createTestFeed({ profiled: true })
beforeAll(migrate)
afterAll(close)

let owners = 100
/** Stores notifications for a new recipient, the first one the oldest; those with these indexes are about to be deleted. */
async function stored(count: number, removed: readonly number[]) {
  const n = owners++
  const recipientId = uuid(n)
  const ids = Array.from({ length: count }, (_, i) => idAt(i * 10, n))
  await store.notifications.insertNew(
    ids.map((id) => newNotification(id, { subscriberId, recipientIds: [recipientId] })),
  )
  const keys = removed.map((i) => toKey(subscriberId, recipientId, ids[i] as string))
  // The first write of a retraction; the process ends ahead of the second one.
  await collections.notifications.updateMany({ _id: { $in: keys } }, { $set: { retracted: true, box: boxes.removed } })
  const feed = store.notifications.of({ subscriberId, recipientId })
  const list = async (query: Partial<FeedQuery>) => {
    const { notifications, next } = pageIn(await feed.list({ limit: 20, status: 'all', ...query }))
    return { ids: notifications.map(({ id }) => id), next }
  }
  return { ids: ids as [string, ...string[]], feed, list }
}

test('a notification that is being retracted is not found, and no mark finds it', async () => {
  const { ids, feed } = await stored(1, [0])
  const [id] = ids
  const marks = [feed.get, feed.markRead, feed.markUnread, feed.archive, feed.unarchive]
  for (const mark of marks) expect(await mark(id, at(1))).toBeNull()
  for (const action of ['read', 'archived', 'unarchived'] as const)
    expect(await feed.markMany(action, { ids }, at(1))).toBe(0)
})

test('it is in no list, which is not short for it, in no group and in no count', async () => {
  const { ids, feed, list } = await stored(6, [1, 3, 5])
  const [a, , c, , e] = ids
  await feed.archive(a, at(1))
  await feed.markRead(c as string, at(1))
  for (const filter of [{}, { type: 'mention' }]) {
    expect(await list({ archived: 'any', limit: 2, ...filter })).toEqual({ ids: [e, c], next: c })
    expect(await list({ archived: 'any', ...filter })).toEqual({ ids: [e, c, a], next: null })
    expect(await list({ archived: 'any', status: 'read', ...filter })).toEqual({ ids: [c, a], next: null })
    expect(await list({ archived: 'any', status: 'unread', ...filter })).toEqual({ ids: [e], next: null })
    expect(await list({ archived: 'true', ...filter })).toEqual({ ids: [a], next: null })
    expect(await list({ ...filter })).toEqual({ ids: [e, c], next: null })
  }
  const groups = JSON.parse(String(await feed.groups({ limit: 20, status: 'all' }))).data.groups
  expect(groups).toMatchObject([{ latest: { id: e }, count: 2, unreadCount: 1 }])
  expect(await feed.counts()).toEqual({ unreadCount: 1, unseenCount: 1, seenUpTo: null })
})

test('it is not the newest that was seen', async () => {
  const { ids, feed } = await stored(4, [1, 3])
  await feed.markSeen(ids[1], at(1))
  expect((await feed.counts()).seenUpTo).toBe(ids[0])
  await feed.markSeen(undefined, at(1))
  expect((await feed.counts()).seenUpTo).toBe(ids[2])
})

test('leaving it out examines it in place, without an index and without a sort', async () => {
  const { ids, feed, list } = await stored(60, [59, 50, 45])
  const lines = await examined('notifications', async () => {
    await list({ archived: 'any' })
    await feed.get(ids[0])
    await feed.markSeen(undefined, at(1))
  })
  expect(lines.map(({ keys, sorted }) => [keys, sorted])).toEqual([
    [0, false],
    [0, false],
    [0, false],
  ])
  const [page, one, newest] = lines.map(({ documents }) => documents)
  expect(page).toBeLessThanOrEqual(20 + 3 + 2)
  expect(one).toBe(1)
  expect(newest).toBeLessThanOrEqual(1 + 1 + 1)
})
