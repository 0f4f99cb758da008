import { start } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { mention, retraction } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { store, database, collections, migrate, close } = createEmptyFeed()
const dayMs = 24 * 60 * 60_000
/** A year after the events. */
const later = new Date(start + 365 * dayMs)
const inDays = (days: number) => new Date(later.getTime() + days * dayMs)
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => later, unreadAfterMs: 60_000 }
const withTopic = createWriters(collections, { announcing })

beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'tombstones']) await database.collection(name).deleteMany({})
})

const countDue = async () => {
  const exists = { $exists: true }
  const where = { $or: [{ announceAt: exists }, { unannounced: exists }, { unreadAt: exists }] }
  return collections.fanOuts.countDocuments(where)
}

test('what a process stored with a topic and another one without it is not announced', async () => {
  await withTopic.insertNew([mention(1), mention(2)])
  expect(await countDue()).toBe(2)
  await store.notifications.insertNew([mention(1), mention(3)])
  expect(await countDue()).toBe(1)
})

test('what nobody announces for a month is forgotten, however old the events are', async () => {
  const { created } = await withTopic.insertNew([mention(1), mention(2)])
  await created.postpone(created.items, later)
  await withTopic.retractions.apply([retraction(1, { notificationId: mention(1).id })])
  await store.unfinished.finish(inDays(29))
  expect(await countDue()).toBe(2)
  await store.unfinished.finish(inDays(31))
  expect(await countDue()).toBe(0)
  expect(await withTopic.announcements.isDue(inDays(31))).toBe(false)
})
