import { randomUUID } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import { timeOfPosition, watch } from '@herald/mongo'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoServerError } from 'mongodb'
import { newNotification } from '../new-notification.fixture.ts'
import { createEmptyFeed, openFeed } from '../test-feed.fixture.ts'
import { type FeedChange, ownerKey } from './feed-change.ts'

const { uri, name, database, store, migrate, close } = createEmptyFeed()
const { client } = database
const owner = { subscriberId: randomUUID(), recipientId: randomUUID() }

beforeAll(migrate)
afterAll(close)

const notification = (time = Date.now()) =>
  newNotification(makeUuidV7(time, Buffer.from(randomUUID())), {
    subscriberId: owner.subscriberId,
    recipientIds: [owner.recipientId],
  })

type SeenChange = { readonly position: string; readonly owner: string; readonly change: FeedChange }

/**
 * Watches until `count` changes have arrived, reopening after a fault; `meanwhile` runs once the stream is open, and its
 * failure ends the watch.
 */
async function takeChanges(
  count: number,
  meanwhile = async (_position: string) => {},
  start?: string,
): Promise<SeenChange[]> {
  const stopping = new AbortController()
  const { signal } = stopping
  const seen: SeenChange[] = []
  let after = start
  let work: Promise<void> | undefined
  while (seen.length < count && !signal.aborted) {
    try {
      for await (const step of store.feedChanges.watch({ after, signal })) {
        if (step.kind === 'lost') throw new Error('The position is lost')
        // Every change up to a position precedes it: otherwise a follower that starts there would miss one.
        if (after !== undefined && step.kind === 'change') expect(step.position > after).toBe(true)
        after = step.position
        if (work === undefined) {
          work = meanwhile(step.position)
          work.catch(() => stopping.abort())
        }
        if (step.kind === 'change') seen.push({ position: step.position, owner: step.owner, change: step.read() })
        if (seen.length >= count) break
      }
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error
    }
  }
  await work
  return seen
}

test('yields new notifications and every mark, in order, each with its own position', async () => {
  const one = notification()
  const feed = store.notifications.of(owner)
  const at = new Date('2026-03-01T10:00:00.500Z')
  let stored: Promise<Buffer | null> | undefined
  const seen = await takeChanges(4, async () => {
    await store.notifications.insertNew([one])
    stored = feed.get(one.id)
    await stored
    await feed.markRead(one.id, at)
    // In the same millisecond, so that `readStateAt` does not change.
    await feed.markUnread(one.id, at)
    const receipt = { ...owner, notificationId: one.id, eventId: randomUUID(), record: '' }
    const context = { now: new Date(), group: 'test' }
    await store.receipts.apply([{ ...receipt, kind: 'email-sent', at: new Date() }], context)
    await store.receipts.apply([{ ...receipt, kind: 'read', at: new Date(at.getTime() + 1) }], context)
  })
  expect(seen.map(({ change }) => change)).toEqual([
    { kind: 'notification', json: (await stored)?.toString().slice('{"data":'.length, -1) },
    { kind: 'read-state', id: one.id, readAt: at },
    { kind: 'read-state', id: one.id, readAt: null },
    { kind: 'read-state', id: one.id, readAt: new Date(at.getTime() + 1) },
  ])
  expect(new Set(seen.map((step) => step.owner))).toEqual(new Set([ownerKey(owner)]))
  const positions = seen.map(({ position }) => position)
  expect(positions).toEqual([...new Set(positions)].sort())
  expect(Math.abs((timeOfPosition(positions[0] as string)?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
})

test('yields each notification of a bulk mark, then its end, and a later mark of one of them separately', async () => {
  const some = [notification(), notification(), notification()]
  const ids = some.map(({ id }) => id)
  const at = new Date()
  const seen = await takeChanges(8, async () => {
    await store.notifications.insertNew(some)
    await store.notifications.of(owner).markMany('read', { ids }, at)
    await store.notifications.of(owner).markUnread(ids[0] as string, at)
  })
  const parts = seen.slice(3, 6)
  const mark = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect(seen.slice(3).map(({ change }) => change)).toEqual([
    ...parts.map(({ change }) => ({ ...change, kind: 'part-of-bulk-mark', mark, action: 'read', at })),
    { kind: 'end-of-bulk-mark', mark, selected: {} },
    { kind: 'read-state', id: ids[0], readAt: null },
  ])
  expect(parts.map(({ change }) => 'id' in change && change.id).sort()).toEqual(ids.toSorted())
})

test('yields what is archived, taken back, muted and seen', async () => {
  const one = notification()
  const at = new Date()
  const feed = store.notifications.of(owner)
  const seen = await takeChanges(7, async () => {
    await store.notifications.insertNew([one])
    await feed.archive(one.id, at)
    await feed.unarchive(one.id, at)
    await feed.archive(one.id, at)
    await feed.markUnread(one.id, at)
    await feed.markUnread(one.id, at)
    await feed.markSeen(undefined, new Date(at.getTime() + 60_000))
    await feed.markSeen(undefined, new Date(at.getTime() + 60_000))
    await store.mutes.of(owner).set({ kind: 'location', id: one.locationId }, undefined, at)
    await store.notifications.insertNew([notification()])
  })
  expect(seen.map(({ change }) => change)).toEqual([
    { kind: 'notification', json: expect.anything() },
    { kind: 'archive-state', id: one.id, archivedAt: at },
    { kind: 'archive-state', id: one.id, archivedAt: null },
    { kind: 'archive-state', id: one.id, archivedAt: at },
    { kind: 'read-state', id: one.id, readAt: null },
    { kind: 'seen', upTo: one.id },
    { kind: 'notification', json: expect.stringMatching(/"mutedAt":"20/) },
  ])
  await store.mutes.of(owner).remove({ kind: 'location', id: one.locationId })
})

test('yields bulk marks of the archive with what they selected, which parts of a location learn at the beginning', async () => {
  const some = [notification(), notification(Date.now() + 1)]
  const at = new Date()
  const feed = store.notifications.of(owner)
  const { locationType, locationId, id } = some[1] as (typeof some)[number]
  const all = { all: true, locationType, locationId, upTo: id } as const
  await feed.markMany('archived', { all: true }, at)
  const seen = await takeChanges(9, async () => {
    await store.notifications.insertNew(some)
    await feed.markMany('archived', all, at)
    await feed.markMany('unarchived', { ids: some.map((one) => one.id) }, at)
  }).then((changes) => changes.map(({ change }) => change).slice(-7))
  const selected = { locationType, locationId, upTo: id }
  const part = (action: string, time: Date | null) => ({ kind: 'part-of-bulk-mark', action, at: time })
  expect(seen).toMatchObject([
    { kind: 'begin-of-bulk-mark', selected },
    part('archived', at),
    part('archived', at),
    { kind: 'end-of-bulk-mark', selected },
    part('unarchived', null),
    part('unarchived', null),
    { kind: 'end-of-bulk-mark', selected: {} },
  ])
})

test('resumes after any position with exactly the changes that follow it', async () => {
  const some = Array.from({ length: 250 }, () => notification())
  let start = ''
  const all = await takeChanges(some.length, async (position) => {
    start = position
    await store.notifications.insertNew(some)
  })
  expect(await takeChanges(some.length, undefined, start)).toEqual(all)
  for (const done of [0, 1, 99, 100, 101, 248]) {
    expect(await takeChanges(some.length - done - 1, undefined, all[done]?.position)).toEqual(all.slice(done + 1))
  }
})

test('opens without waiting for a change', async () => {
  const stop = new AbortController()
  // Longer than this test may take.
  const steps = watch(database, { pipeline: [], signal: stop.signal, maxAwaitTimeMS: 600_000 })
  expect(await steps.next()).toMatchObject({ value: { kind: 'position' } })
  stop.abort()
  await steps.return()
})

test('yields positions while nothing changes', async () => {
  const stop = new AbortController()
  const steps = store.feedChanges.watch({ signal: stop.signal })
  expect(await steps.next()).toMatchObject({ value: { kind: 'position' } })
  await database.collection('unrelated').insertOne({ n: 1 })
  const first = await steps.next()
  expect(first).toMatchObject({ value: { kind: 'position' } })
  stop.abort()
  expect(await steps.next()).toEqual({ done: true, value: undefined })
})

test('reopens a cursor killed on the server without losing changes', async () => {
  const some = [notification(), notification()]
  const seen = await takeChanges(2, async () => {
    await store.notifications.insertNew(some.slice(0, 1))
    await killCursors()
    await store.notifications.insertNew(some.slice(1))
  })
  expect(seen.map(({ change }) => change.kind === 'notification' && JSON.parse(change.json).id)).toEqual(
    some.map(({ id }) => id),
  )
})

async function killCursors() {
  const admin = client.db('admin')
  // A cursor that changes from idle to active while the server collects both is in neither.
  const operations = await eventually(async () => {
    const found = await admin
      .aggregate([
        { $currentOp: { idleCursors: true, allUsers: true } },
        { $match: { ns: `${name}.$cmd.aggregate`, 'cursor.cursorId': { $exists: true } } },
      ])
      .toArray()
    expect(found.length).toBeGreaterThan(0)
    return found
  })
  const cursors = operations.map((operation) => operation.cursor.cursorId)
  await database.command({ killCursors: '$cmd.aggregate', cursors })
}

test('yields lost for a position that is not in the oplog, and when the database is dropped', async () => {
  const { signal } = new AbortController()
  const two = [notification(), notification()]
  const [seen] = await takeChanges(2, async () => void (await store.notifications.insertNew(two)))
  // The oplog of a new server reaches back to its beginning, so no time is too old; but this change never existed.
  const never = seen?.position.replace(/....0004$/, 'FFFF0004')
  const steps = store.feedChanges.watch({ after: never, signal })
  expect(await steps.next()).toEqual({ done: false, value: { kind: 'lost' } })
  expect(await steps.next()).toEqual({ done: true, value: undefined })

  const dropped = client.db(`${name}-dropped`)
  await dropped.createCollection('notifications')
  const other = openFeed({ uri, database: dropped.databaseName, applicationName: 'test' })
  const kinds: string[] = []
  for await (const { kind } of other.feedChanges.watch({ signal })) {
    if (kinds.push(kind) === 1) await dropped.dropDatabase()
  }
  expect(kinds.at(-1)).toBe('lost')
  await other.close()
})

test('starts level with a follower that has read everything, without yielding the past', async () => {
  const { signal } = new AbortController()
  const firstOf = async () => {
    const watch = store.feedChanges.watch({ signal })
    const { value } = await watch.next()
    await watch.return()
    return value ?? undefined
  }
  const from = await firstOf()
  // Other tests may write to the same server in between, and then the latest operation is theirs.
  for (let attempt = 1; ; attempt++) {
    await store.notifications.insertNew([notification()])
    const begun = await firstOf()
    expect([from?.kind, begun?.kind]).toEqual(['position', 'position'])
    const seen = await takeChanges(attempt, undefined, from?.kind === 'position' ? from.position : '')
    const last = seen.at(-1)?.position ?? ''
    if (begun?.kind === 'position' && begun.position <= last) return
    expect(attempt).toBeLessThan(20)
  }
})
