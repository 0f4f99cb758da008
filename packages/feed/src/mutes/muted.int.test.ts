import { StorageUnavailableError } from '@herald/mongo'
import { at, createInterceptor, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import type { Announcement } from '../announcements/announcement.ts'
import { createdBody } from '../json/notification-json.ts'
import { pageIn } from '../new-notification.fixture.ts'
import { mention, retraction, withoutErasures } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { store, collections, database, examined, migrate, close } = createEmptyFeed()
const [ada, bob, cleo, dora] = [uuid(2), uuid(3), uuid(4), uuid(5)] as const
beforeAll(migrate)
afterAll(close)
beforeEach(async () => {
  for (const name of ['notifications', 'fan-outs', 'mutes', 'tombstones', 'digests'])
    await database.collection(name).deleteMany({})
})

const now = at(1_000)
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => now, unreadAfterMs: 60_000 }
const newProcess = (given = collections) => createWriters(given, { announcing, now: () => now })
const [place, writer] = [uuid(700), uuid(701)]
const byWriter = (n: number, changes: Parameters<typeof mention>[1] = {}) =>
  mention(n, {
    recipientIds: [ada, bob, cleo],
    locationId: place,
    actor: { id: writer, name: 'W', image: '' },
    ...changes,
  })
const mutes = (user: string) => store.mutes.of({ subscriberId, recipientId: user })
const mutePlace = (user: string, until?: Date) => mutes(user).set({ kind: 'location', id: place }, until, at(1))
const feed = (recipientId: string) => store.notifications.of({ subscriberId, recipientId })
const list = async (user: string) => pageIn(await feed(user).list({ limit: 100, status: 'all' })).notifications
const mutedAt = async (user: string) => (await list(user)).map((one) => (one as { mutedAt?: string }).mutedAt)
const moment = '2126-01-01T00:16:40Z'
const recipientsOf = (announcements: readonly Announcement[]) =>
  announcements.flatMap((one) => (one.kind === 'unread' ? [] : one.parts.flat()))

test('is stored as read at that moment, in the list and in no count; nothing else changes for anybody', async () => {
  await mutePlace(bob)
  await newProcess().insertNew([byWriter(1)])
  expect(await list(bob)).toMatchObject([{ readAt: now, mutedAt: moment }])
  expect(await feed(bob).counts()).toEqual({ unreadCount: 0, unseenCount: 0, seenUpTo: null })
  for (const user of [ada, cleo]) {
    expect(await list(user)).toEqual([expect.not.objectContaining({ mutedAt: expect.anything() })])
    expect((await feed(user).counts()).unreadCount).toBe(1)
  }
  await newProcess().insertNew([byWriter(2, { locationId: uuid(702) })])
  expect(await mutedAt(bob)).toEqual([undefined, moment])
})

test('by location whatever its type, by actor, until its time, and not after it was taken back', async () => {
  await mutePlace(ada, new Date(now.getTime() + 1))
  await mutePlace(bob, now)
  await mutes(cleo).set({ kind: 'actor', id: writer }, undefined, at(1))
  await newProcess().insertNew([byWriter(1, { locationType: 'file' })])
  expect([await mutedAt(ada), await mutedAt(bob), await mutedAt(cleo)]).toEqual([[moment], [undefined], [moment]])
  await mutes(cleo).remove({ kind: 'actor', id: writer })
  await newProcess().insertNew([byWriter(2)])
  expect(await mutedAt(cleo)).toEqual([undefined, moment])
})

test('is decided once: a redelivery and a replay keep it, whatever was muted since', async () => {
  await mutePlace(bob)
  await newProcess().insertNew([byWriter(1)])
  await mutes(bob).remove({ kind: 'location', id: place })
  await mutePlace(cleo)
  await newProcess().insertNew([byWriter(1), byWriter(1)])
  expect([await mutedAt(bob), await mutedAt(cleo)]).toEqual([[moment], [undefined]])
  await collections.notifications.deleteMany({})
  await newProcess().insertNew([byWriter(1)])
  expect([await mutedAt(bob), await mutedAt(cleo)]).toEqual([[moment], [undefined]])
})

test('marking it unread makes it an ordinary one; archived, it stays muted', async () => {
  await mutePlace(bob)
  const one = byWriter(1)
  await newProcess().insertNew([one])
  const shown = (body: Buffer | null) => JSON.parse(String(body)).data
  expect(shown(await feed(bob).archive(one.id, at(2_000)))).toMatchObject({ readAt: moment, mutedAt: moment })
  expect(shown(await feed(bob).unarchive(one.id, at(2_001)))).toMatchObject({ readAt: moment, mutedAt: moment })
  const unread = shown(await feed(bob).markUnread(one.id, at(2_002)))
  expect(unread).toMatchObject({ readAt: null })
  expect(unread).not.toHaveProperty('mutedAt')
  expect((await feed(bob).counts()).unreadCount).toBe(1)
})

describe('announcements leave out who was muted', () => {
  test('the creation, and no part moves', async () => {
    await mutePlace(bob)
    const { created } = await newProcess().insertNew([byWriter(1)])
    expect(recipientsOf(created.items.flatMap(({ announcements }) => announcements))).toEqual([ada, cleo])
    // By the relay of another process, after this one was killed.
    await created.postpone(created.items, now)
    await mutePlace(cleo)
    const [later] = await newProcess().announcements.next(now)
    expect(recipientsOf(later?.items.flatMap(({ announcements }) => announcements) ?? [])).toEqual([ada, cleo])
  })

  test('the retraction, which takes it from them, too', async () => {
    await mutePlace(bob)
    const one = byWriter(1)
    const { created } = await newProcess().insertNew([one])
    await created.settle(created.items)
    await newProcess().retractions.apply([retraction(1, { notificationId: one.id })])
    const [batch] = await newProcess().announcements.next(now)
    expect(recipientsOf(batch?.items.flatMap(({ announcements }) => announcements) ?? [])).toEqual([ada, cleo])
    expect(await list(bob)).toEqual([])
  })

  test('the digest', async () => {
    await mutePlace(bob)
    const process = newProcess()
    const { created } = await process.insertNew([byWriter(1)])
    await created.settle(created.items)
    const due = new Date(now.getTime() + 120_000)
    await process.digests.writeNext(due, 60_000)
    const digests = await collections.digests.find().toArray()
    expect(digests.map(({ data }) => JSON.parse(data ?? '').recipientId).sort()).toEqual([ada, cleo])
  })

  test('nothing is announced if all were', async () => {
    for (const user of [ada, bob, cleo]) await mutePlace(user)
    const { created } = await newProcess().insertNew([byWriter(1)])
    expect(created.items.flatMap(({ announcements }) => announcements)).toEqual([])
  })
})

test('a request that another process finishes, and its response, which shows no mute', async () => {
  await mutePlace(bob)
  const request = byWriter(1, { via: 'http', finishBy: at(900) })
  const intercepted = createInterceptor(async (_, when, name) => {
    if (name === 'insert' && when === 'before' && ++inserts >= 2) throw new Error('killed')
  })
  let inserts = 0
  await expect(newProcess(intercepted.wrap(collections, withoutErasures)).insertNew([request])).rejects.toThrow(
    'MongoDB did not confirm the write',
  )
  expect(await list(ada)).toEqual([])
  await mutes(bob).remove({ kind: 'location', id: place })
  await mutePlace(cleo)
  await newProcess().unfinished.finish(now)
  expect([await mutedAt(bob), await mutedAt(cleo)]).toEqual([[moment], [undefined]])
  const recipients = JSON.parse(createdBody(request)).data.recipients as readonly { readAt: null }[]
  expect(recipients.map(({ readAt }) => readAt)).toEqual([null, null, null])
})

test('killed anywhere, and whatever is muted meanwhile: who was muted first is muted, and nobody else', async () => {
  const outcomes: string[] = []
  for (let kill = 1; ; kill++) {
    const { created, wasKilled, hasFanOut } = await storeUntil(kill)
    if (!wasKilled) break
    expect(created).toBeUndefined()
    await mutes(bob).remove({ kind: 'location', id: place })
    await mutePlace(cleo)
    const again = await newProcess().insertNew([byWriter(1)])
    const told = recipientsOf(again.created.items.flatMap(({ announcements }) => announcements))
    const muted = hasFanOut ? bob : cleo
    expect([kill, told]).toEqual([kill, [ada, bob, cleo].filter((user) => user !== muted)])
    for (const user of [ada, bob, cleo]) expect(await mutedAt(user)).toEqual([user === muted ? moment : undefined])
    outcomes.push(muted === bob ? 'as decided' : 'decided anew')
  }
  expect(new Set(outcomes)).toEqual(new Set(['decided anew', 'as decided']))
})

/** Stores a notification that Bob has muted, in a process that is killed before or after one of its operations. */
async function storeUntil(kill: number) {
  for (const name of ['notifications', 'fan-outs', 'mutes']) await database.collection(name).deleteMany({})
  await mutePlace(bob)
  let step = 0
  const { wrap } = createInterceptor(async () => {
    if (++step >= kill) throw new StorageUnavailableError('killed')
  })
  const created = await newProcess(wrap(collections, withoutErasures))
    .insertNew([byWriter(1)])
    .catch(() => undefined)
  const hasFanOut = (await collections.fanOuts.countDocuments()) === 1
  return { created, wasKilled: step >= kill, hasFanOut }
}

test('two reads for all of a chunk at most, which examine nothing of who is not concerned', async () => {
  for (let n = 0; n < 2_000; n++) await collections.mutes.insertOne(muteOf(n))
  const chunk = (from: number) =>
    Array.from({ length: 200 }, (_, n) =>
      byWriter(from + n, { recipientIds: [ada, dora], locationId: uuid(90_000 + n) }),
    )
  const writers = newProcess()
  await writers.insertNew([byWriter(5_000)])
  const owners = await examined('mutes', () => writers.insertNew(chunk(0)))
  expect(owners.map(({ plan }) => plan)).toEqual(['DISTINCT_SCAN { user: 1, setAt: -1 }'])
  expect(owners[0]?.documents).toBe(0)
  expect(owners[0]?.keys).toBeLessThanOrEqual(3)
  await mutePlace(dora)
  const [, keys, ...others] = await examined('mutes', () => writers.insertNew(chunk(200)))
  expect([keys?.documents, others]).toEqual([0, []])
  expect(keys?.keys).toBeLessThanOrEqual(2 * chunk(0).length + 1)
})

test('while nobody has muted anything, a look at nothing; the first mute holds at once', async () => {
  const writers = newProcess()
  const lines = await examined('tombstones', () => writers.insertNew([byWriter(1), byWriter(2)]))
  expect(lines.map(({ keys, documents }) => [keys, documents])).toEqual([
    [0, 0],
    [0, 0],
  ])
  await mutePlace(bob)
  await writers.insertNew([byWriter(3)])
  expect(await mutedAt(bob)).toEqual([moment, undefined, undefined])
})

/** A mute of the place by one of many others. */
function muteOf(n: number) {
  const user = uuid(100_000 + n)
  const bytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')
  const key = Buffer.concat([bytes(subscriberId), Buffer.from([1]), bytes(place), bytes(user)])
  const owner = new Binary(Buffer.concat([bytes(subscriberId), bytes(user)]))
  return { _id: new Binary(key), v: 1, user: owner, setAt: at(1) } as const
}
