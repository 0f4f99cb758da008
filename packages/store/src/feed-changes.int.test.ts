import { randomUUID } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient, MongoServerError } from 'mongodb'
import { createStore } from './connection.ts'
import { type FeedChange, ownerKey } from './feed-change.ts'
import { timeOfPosition } from './feed-changes.ts'
import type { NewNotification } from './notification-document.ts'

const uri = process.env.MONGODB_URI ?? ''
const name = `herald-test-feed-changes-${process.pid}`
const client = new MongoClient(uri)
const store = createStore({ uri, database: name, applicationName: 'test' })
const owner = { subscriberId: randomUUID(), recipientId: randomUUID() }

beforeAll(() => store.migrate())
afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
  await store.close()
})

function notification(time = Date.now()): NewNotification {
  return {
    id: makeUuidV7(time, Buffer.from(randomUUID())),
    subscriberId: owner.subscriberId,
    type: 'mention',
    actor: { id: randomUUID(), name: 'Ada', image: '' },
    actorType: 'user',
    subjectId: randomUUID(),
    subjectType: 'user',
    locationId: randomUUID(),
    locationType: 'comment',
    metadata: '{}',
    createdAt: new Date(time),
    recipientIds: [owner.recipientId],
  }
}

type Told = { readonly position: string; readonly owner: string; readonly change: FeedChange }

/** Watches until `count` changes came, anew after a fault; `meanwhile` runs when the stream is open. */
async function take(count: number, meanwhile = async (_position: string) => {}, start?: string): Promise<Told[]> {
  const { signal } = new AbortController()
  const told: Told[] = []
  let after = start
  let work: Promise<void> | undefined
  while (told.length < count) {
    try {
      for await (const step of store.feedChanges.watch({ after, signal })) {
        if (step.kind === 'lost') throw new Error('The position is lost')
        // Everything up to a position was told before it: else somebody would begin behind a change that he never saw.
        if (after !== undefined && step.kind === 'change') expect(step.position > after).toBe(true)
        after = step.position
        work ??= meanwhile(step.position)
        if (step.kind === 'change') told.push({ position: step.position, owner: step.owner, change: step.read() })
        if (told.length >= count) break
      }
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error
    }
  }
  await work
  return told
}

test('tells new notifications and every mark, in order, each with its own position', async () => {
  const one = notification()
  const feed = store.notifications.of(owner)
  const at = new Date('2026-03-01T10:00:00.500Z')
  const told = await take(4, async () => {
    await store.notifications.insertNew([one])
    await feed.markRead(one.id, at)
    // In the same millisecond, so that `readStateAt` doesn't change with it.
    await feed.markUnread(one.id, at)
    const receipt = { ...owner, notificationId: one.id, eventId: randomUUID(), record: '' }
    const context = { now: new Date(), group: 'test' }
    await store.receipts.apply([{ ...receipt, kind: 'email-sent', at: new Date() }], context)
    await store.receipts.apply([{ ...receipt, kind: 'read', at: new Date(at.getTime() + 1) }], context)
  })
  expect(told.map(({ change }) => change)).toEqual([
    { kind: 'notification', notification: expect.objectContaining({ id: one.id, readAt: null }) },
    { kind: 'read-state', id: one.id, readAt: at },
    { kind: 'read-state', id: one.id, readAt: null },
    { kind: 'read-state', id: one.id, readAt: new Date(at.getTime() + 1) },
  ])
  expect(new Set(told.map((step) => step.owner))).toEqual(new Set([ownerKey(owner)]))
  const positions = told.map(({ position }) => position)
  expect(positions).toEqual([...new Set(positions)].sort())
  expect(Math.abs((timeOfPosition(positions[0] as string)?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
})

test('a mark of many is a change of each and an end, and a mark of one of them afterwards another', async () => {
  const some = [notification(), notification(), notification()]
  const ids = some.map(({ id }) => id)
  const at = new Date()
  const told = await take(8, async () => {
    await store.notifications.insertNew(some)
    await store.notifications.of(owner).markManyRead({ ids }, at)
    await store.notifications.of(owner).markUnread(ids[0] as string, at)
  })
  const parts = told.slice(3, 6)
  const mark = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect(told.slice(3).map(({ change }) => change)).toEqual([
    ...parts.map(({ change }) => ({ ...change, kind: 'part-of-bulk-mark', mark, readAt: at })),
    { kind: 'end-of-bulk-mark', mark, upTo: null, readAt: at },
    { kind: 'read-state', id: ids[0], readAt: null },
  ])
  expect(parts.map(({ change }) => 'id' in change && change.id).sort()).toEqual(ids.toSorted())
})

test('goes on after any position with just what follows it', async () => {
  const some = Array.from({ length: 250 }, () => notification())
  let start = ''
  const all = await take(some.length, async (position) => {
    start = position
    await store.notifications.insertNew(some)
  })
  expect(await take(some.length, undefined, start)).toEqual(all)
  for (const done of [0, 1, 99, 100, 101, 248]) {
    expect(await take(some.length - done - 1, undefined, all[done]?.position)).toEqual(all.slice(done + 1))
  }
})

test('is open at once, and tells a position now and then though nothing happens', async () => {
  const started = Date.now()
  const stop = new AbortController()
  const steps = store.feedChanges.watch({ signal: stop.signal })
  expect(await steps.next()).toMatchObject({ value: { kind: 'position' } })
  expect(Date.now() - started).toBeLessThan(900)
  await client.db(name).collection('unrelated').insertOne({ n: 1 })
  const first = await steps.next()
  expect(first).toMatchObject({ value: { kind: 'position' } })
  stop.abort()
  expect(await steps.next()).toEqual({ done: true, value: undefined })
})

test('a cursor that is killed on the server is opened again without loss', async () => {
  const some = [notification(), notification()]
  const told = await take(2, async () => {
    await store.notifications.insertNew(some.slice(0, 1))
    await killCursors()
    await store.notifications.insertNew(some.slice(1))
  })
  expect(told.map(({ change }) => change.kind === 'notification' && change.notification.id)).toEqual(
    some.map(({ id }) => id),
  )
})

async function killCursors() {
  const admin = client.db('admin')
  const operations = await admin
    .aggregate([
      { $currentOp: { idleCursors: true, allUsers: true } },
      { $match: { ns: `${name}.$cmd.aggregate`, 'cursor.cursorId': { $exists: true } } },
    ])
    .toArray()
  expect(operations.length).toBeGreaterThan(0)
  const cursors = operations.map((operation) => operation.cursor.cursorId)
  await client.db(name).command({ killCursors: '$cmd.aggregate', cursors })
}

test('a position that is not in the oplog is lost, and so is everything when the database is dropped', async () => {
  const { signal } = new AbortController()
  const two = [notification(), notification()]
  const [told] = await take(2, async () => void (await store.notifications.insertNew(two)))
  // The oplog of a new server reaches back to its beginning: no time is too old for it, but this change never was.
  const never = told?.position.replace(/....0004$/, 'FFFF0004')
  const steps = store.feedChanges.watch({ after: never, signal })
  expect(await steps.next()).toEqual({ done: false, value: { kind: 'lost' } })
  expect(await steps.next()).toEqual({ done: true, value: undefined })

  const other = createStore({ uri, database: `${name}-dropped`, applicationName: 'test' })
  await other.migrate()
  const kinds: string[] = []
  for await (const { kind } of other.feedChanges.watch({ signal })) {
    if (kinds.push(kind) === 1) await client.db(`${name}-dropped`).dropDatabase()
  }
  expect(kinds.at(-1)).toBe('lost')
  await other.close()
})

test('who begins now is level with who read all that was, and is not told of it', async () => {
  const { signal } = new AbortController()
  const firstOf = async () => {
    const watch = store.feedChanges.watch({ signal })
    const { value } = await watch.next()
    await watch.return()
    return value ?? undefined
  }
  const from = await firstOf()
  // Others may write on the same server between the two, and it is theirs that is then the latest.
  for (let attempt = 1; ; attempt++) {
    await store.notifications.insertNew([notification()])
    const begun = await firstOf()
    expect([from?.kind, begun?.kind]).toEqual(['position', 'position'])
    const told = await take(attempt, undefined, from?.kind === 'position' ? from.position : '')
    const last = told.at(-1)?.position ?? ''
    if (begun?.kind === 'position' && begun.position <= last) return
    expect(attempt).toBeLessThan(20)
  }
})
