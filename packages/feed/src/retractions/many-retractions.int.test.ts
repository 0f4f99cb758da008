import { setImmediate as nextTurn } from 'node:timers/promises'
import { advanceHeads } from '@herald/mongo'
import { subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type TombstoneDocument, toTombstone } from '../documents/tombstone-document.ts'
import { createEmptyFeed } from '../test-feed.fixture.ts'
import { mention, retraction } from './fan-outs.fixture.ts'

const { store, database, collections, examined, migrate, close } = createEmptyFeed()
const { notifications } = store
beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'tombstones']) await database.collection(name).deleteMany({})
})

const hangsAfterMs = 300_000
const longestTurnMs = 250
const location = { locationType: 'comment', locationId: uuid(92) }
const strangers = Array.from({ length: 10_000 }, (_, n) => uuid(500_000 + n))

/** Stores tombstones as they are before anything is retracted, as by a process that died. */
async function leaveBehind(tombstones: readonly TombstoneDocument[]): Promise<void> {
  for (let from = 0; from < tombstones.length; from += 1_000) {
    await collections.tombstones.insertMany(tombstones.slice(from, from + 1_000))
  }
  await advanceHeads(collections.tombstoneHeads, tombstones)
}

/** The processor time of the longest turn of the event loop in milliseconds, however busy the machine is. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [isDone, longest] = [false, 0]
  const used = () => process.threadCpuUsage().user / 1_000
  const ended = work().finally(() => {
    isDone = true
  })
  for (let before = used(); !isDone; before = used()) {
    await nextTurn()
    longest = Math.max(longest, used() - before)
  }
  await ended
  return longest
}

test(
  'a chunk of mentions at a location with as many named retractions as it can have takes no long turn',
  async () => {
    await leaveBehind(
      Array.from({ length: 6 }, (_, n) => toTombstone(retraction(n, location, { recipientIds: strangers }))),
    )
    const chunk = Array.from({ length: 1_000 }, (_, n) => mention(n, { recipientIds: [uuid(2)] }))
    expect(await longestTurn(() => notifications.insertNew(chunk))).toBeLessThan(longestTurnMs)
    expect(await collections.notifications.countDocuments()).toBe(1_000)
  },
  hangsAfterMs,
)

test(
  'redelivered mentions with thousands of retractions each take no long turn, and are retracted once',
  async () => {
    const recipientIds = Array.from({ length: 5_000 }, (_, n) => uuid(100_000 + n))
    const large = [mention(1, { recipientIds }), mention(2, { recipientIds })]
    for (const one of large) await notifications.insertNew([one])
    const retracted = recipientIds.slice(0, 3_800)
    await leaveBehind(
      large.flatMap(({ id }, index) =>
        retracted.map((recipient, n) =>
          toTombstone(retraction(10_000 * index + n, { notificationId: id }, { recipientIds: [recipient] })),
        ),
      ),
    )
    const again = Array.from({ length: 500 }, () => large.map((one) => ({ ...one, recipientIds: [uuid(2)] }))).flat()
    expect(await longestTurn(() => notifications.insertNew(again))).toBeLessThan(longestTurnMs)
    expect(await collections.notifications.countDocuments()).toBe(2 * (recipientIds.length - retracted.length))
    const found = await collections.fanOuts.find({ retractions: { $exists: true } }).toArray()
    expect(found.map(({ retractions }) => retractions?.length)).toEqual([3_800, 3_800])
  },
  hangsAfterMs,
)

test(
  'a search reads full targets with several queries, each within its time limit',
  async () => {
    const chunk = Array.from({ length: 40 }, (_, n) => mention(n, { recipientIds: [uuid(2), uuid(3)] }))
    const tombstones = chunk.flatMap(({ id }, index) => [
      ...Array.from({ length: 6 }, (_, n) =>
        toTombstone(retraction(10 * index + n, { notificationId: id }, { recipientIds: strangers })),
      ),
      toTombstone(retraction(10 * index + 9, { notificationId: id }, { recipientIds: [uuid(2)] })),
    ])
    for (let from = 0; from < tombstones.length; from += 50) await leaveBehind(tombstones.slice(from, from + 50))
    const lines = await examined('tombstones', () => notifications.insertNew(chunk))
    const queries = lines.filter(({ documents }) => documents > 1)
    expect(Math.max(...queries.map(({ documents }) => documents))).toBeLessThan(200)
    expect((await collections.notifications.find().toArray()).length).toBe(40)
    expect((await notifications.of({ subscriberId, recipientId: uuid(3) }).counts()).unreadCount).toBe(40)
  },
  hangsAfterMs,
)
