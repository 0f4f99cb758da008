import { lookAgainMs } from '@herald/mongo'
import { subscriberId, uuid } from '@herald/mongo/testing'
import { clear } from '@herald/persons/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { pageIn } from '../new-notification.fixture.ts'
import { mention, retraction } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { store, database, collections, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)
beforeEach(() => clear(database))

const now = new Date()
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
const recipientId = uuid(2)
const listed = async () => {
  const page = await store.notifications.of({ subscriberId, recipientId }).list({ limit: 100, status: 'all' })
  return pageIn(page).notifications.map(({ id }) => id)
}

test('a request that was interrupted while the clock was two hours ahead is finished at once', async () => {
  const given = { ...mention(1, { recipientIds: [recipientId] }), finishBy: later(120) }
  await store.notifications.insertNew([given])
  await collections.notifications.deleteMany({})
  await collections.fanOuts.updateMany({}, { $set: { dueAt: later(120), content: JSON.stringify(given) } })
  await store.unfinished.finish(now)
  expect(await listed()).toEqual([given.id])
})

test('an announcement that was left while the clock was two hours ahead is due', async () => {
  const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => later(120) }
  const { insertNew, unfinished, announcements } = createWriters(collections, { announcing })
  await insertNew([mention(1, { recipientIds: [recipientId] })])
  await collections.fanOuts.updateMany({}, { $set: { announceAt: later(120), 'unannounced.stored': true } })
  expect(await announcements.isDue(now)).toBe(false)
  await unfinished.finish(now)
  expect(await announcements.isDue(now)).toBe(true)
})

test('a retraction is repeated as late as after one that was done now, and not before', async () => {
  await store.retractions.apply([retraction(1, { notificationId: mention(1).id })])
  await collections.tombstones.updateMany({ done: true }, { $set: { dueAt: later(150) } })
  expect(await store.unfinished.finish(now)).toMatchObject({ again: 0 })
  const repeatedAt = new Date(now.getTime() + lookAgainMs)
  expect(await collections.tombstones.distinct('dueAt', { done: true })).toEqual([repeatedAt])
  expect(await store.unfinished.finish(repeatedAt)).toMatchObject({ again: 1 })
})
