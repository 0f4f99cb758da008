import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Db } from 'mongodb'
import {
  bulkMarksIn,
  changeEntriesIn,
  createRequestsIn,
  digestsIn,
  erasureHeadsIn,
  erasuresIn,
  fanOutsIn,
  feedErasuresIn,
  notificationsIn,
  personKeysIn,
  planCollections,
  tombstoneHeadsIn,
  tombstonesIn,
  waitingReceiptsIn,
} from '../../collections.ts'
import { createErasureRoom } from '../../erasures/erasure-room.ts'
import { clear } from '../../erasures/erasures.fixture.ts'
import { createFanOutRoom } from '../../fan-outs/fan-out-room.ts'
import { retraction } from '../../fan-outs/fan-outs.fixture.ts'
import { createInterceptor, type Intercept } from '../../fan-outs/intercepted.fixture.ts'
import type { Receipt } from '../../receipts/waiting-receipt.ts'
import { at, createTestStore, idAt, newNotification, pageIn, subscriberId, uuid } from '../../store.fixture.ts'
import { createRewrite, type Rewrite, rewriteStateIn } from './rewrite-notifications.ts'

const { store, database, drop } = createTestStore('rewrite')
const { notifications, retractions, receipts } = store
const planned = planCollections(undefined).find(({ name }) => name === 'notifications')
const recipient = uuid(2)
/** Two steps. */
const documents = 4
const kindsOfChanges = 6
const feed = notifications.of({ subscriberId, recipientId: recipient })

beforeAll(() => store.migrate())
afterAll(drop)
beforeEach(async () => {
  await clear(database)
  await rewriteStateIn(database).deleteMany({})
  await asEarlierRelease()
})

/** Empty, with WiredTiger's default blocks. */
async function asEarlierRelease() {
  await database.collection('notifications').drop()
  await database.collection('notifications-rewritten').drop()
  await database.createCollection('notifications', { clusteredIndex: planned?.options.clusteredIndex as never })
  for (const { key, ...index } of planned?.indexes ?? []) {
    await database.collection('notifications').createIndex(key as never, index)
  }
}

const engineOf = async (name: string) => {
  const [found] = await database.listCollections({ name }).toArray()
  return found && 'options' in found ? found.options?.storageEngine : undefined
}

const { erasedPersons, eraseFromFanOuts } = createErasureRoom({
  ...{ erasures: erasuresIn(database), heads: erasureHeadsIn(database), personKeys: personKeysIn(database) },
  ...{ notifications: notificationsIn(database), fanOuts: fanOutsIn(database), digests: digestsIn(database) },
  ...{ changeEntries: changeEntriesIn(database), waitingReceipts: waitingReceiptsIn(database) },
  ...{ createRequests: createRequestsIn(database), bulkMarks: bulkMarksIn(database) },
  feedErasures: feedErasuresIn(database),
})
const { applyTombstones } = createFanOutRoom({
  ...{ fanOuts: fanOutsIn(database), tombstones: tombstonesIn(database), heads: tombstoneHeadsIn(database) },
  ...{ notifications: notificationsIn(database), erasedPersons, eraseFromFanOuts },
  insertForRecipients: async () => ({ inserted: 0, duplicates: 0, refused: [] }),
})

/** In small steps; every operation on a collection is intercepted. */
function newRewrite(intercept?: Intercept): Rewrite {
  const { wrap } = createInterceptor(intercept)
  const intercepted = new Proxy(database, {
    get(target, name) {
      const value = Reflect.get(target, name) as never as (...given: unknown[]) => never
      if (name === 'collection') return (collection: string) => wrap(target.collection(collection))
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Db
  return createRewrite({
    ...{ state: wrap(rewriteStateIn(database)), database: intercepted, retentionDays: undefined, documentsPerStep: 3 },
    ...{ fanOuts: fanOutsIn(database), applyTombstones, settleReceipts: receipts.settle },
  })
}

async function runAll(rewrite: Rewrite) {
  const phases = new Set<string>()
  for (;;) {
    const { phase } = await rewrite.step()
    phases.add(phase)
    if (phase === 'done') return [...phases]
  }
}

const state = async () => {
  const page = pageIn(await feed.list({ limit: 1_000, status: 'all' }))
  return Object.fromEntries(page.notifications.map(({ id, readAt }) => [id, readAt === null ? 'unread' : 'read']))
}

const readReceipt = (n: number, notificationId: string): Receipt => ({
  ...{ subscriberId, recipientId: recipient, notificationId, kind: 'read' },
  ...{ at: new Date(), eventId: uuid(n), record: '{}' },
})

/** Changes of the feed, of another notification each time, and the state that they must lead to. */
function createWorkload() {
  const expected: Record<string, 'unread' | 'read'> = {}
  let made = 0
  const insert = async () => {
    const id = idAt(++made)
    await notifications.insertNew([newNotification(id, { recipientIds: [recipient, uuid(3)] })])
    expected[id] = 'unread'
    return id
  }
  const left: string[] = []
  return {
    expected,
    async fill(count: number) {
      for (let n = 0; n < count; n++) left.push(await insert())
    },
    /** In this order: stored, marked, retracted, stored and retracted, stored and marked, stored and its receipt applied. */
    async change(n: number) {
      const id = n % 6 === 0 ? undefined : n % 6 < 3 ? (left.shift() as string) : await insert()
      if (id === undefined) return void (await insert())
      if (n % 6 === 1 || n % 6 === 4) {
        expect(await feed.markRead(id, at(1))).not.toBeNull()
        expected[id] = 'read'
      } else if (n % 6 === 5) {
        await receipts.apply([readReceipt(n, id)], { now: new Date(), group: 'test' })
        expected[id] = 'read'
      } else {
        await retractions.apply([retraction(n, { notificationId: id })])
        delete expected[id]
      }
    },
  }
}

const isRewritten = async () => {
  expect(await engineOf('notifications')).toEqual(planned?.options.storageEngine)
  expect(await engineOf('notifications-rewritten')).toBeUndefined()
  expect(await store.checkReady()).toEqual({ ok: true, warnings: [] })
}

test('a collection of an earlier release gets the blocks of new ones, and keeps its documents and indexes', async () => {
  const workload = createWorkload()
  await workload.fill(10)
  const before = await notificationsIn(database).find().sort({ _id: 1 }).toArray()
  expect(await engineOf('notifications')).toBeUndefined()
  expect(await runAll(store.rewrite)).toEqual(['copying', 'following', 'switching', 'done'])
  expect(await notificationsIn(database).find().sort({ _id: 1 }).toArray()).toEqual(before)
  await isRewritten()
  expect(await store.rewrite.step()).toMatchObject({ phase: 'done', count: 20 })
})

test.each([false, true])(
  'keeps what changes between any two of its operations (killed there: %s)',
  async (isKilled) => {
    let isReached = true
    for (let operation = 1; isReached; operation++) {
      isReached = false
      await clear(database)
      await rewriteStateIn(database).deleteMany({})
      await asEarlierRelease()
      const workload = createWorkload()
      await workload.fill(documents)
      const rewrite = newRewrite(async (current, when) => {
        if (current !== operation || when === 'after') return
        isReached = true
        for (let n = 0; n < kindsOfChanges; n++) await workload.change(n)
        if (isKilled) throw new Error('killed')
      })
      const run = runAll(rewrite)
      if (isKilled) await run.catch(() => runAll(newRewrite()))
      else await run
      expect({ operation, feed: await state() }).toEqual({ operation, feed: workload.expected })
      expect(await feed.unreadCount()).toBe(Object.values(workload.expected).filter((one) => one === 'unread').length)
      await isRewritten()
    }
  },
  120_000,
)

test('the last changes, which the copy lacks at first, undo nothing that was done meanwhile', async () => {
  const [marked, inserted, retracted] = [idAt(1), idAt(2), idAt(3)]
  await notifications.insertNew([newNotification(marked)])
  const rewrite = newRewrite(async (_, when, name) => {
    if (name !== 'rename') return
    if (when === 'before') {
      await feed.markRead(marked, at(1))
      await notifications.insertNew([newNotification(inserted), newNotification(retracted)])
    } else {
      expect(await state()).toEqual({ [marked]: 'unread' })
      await feed.markRead(marked, at(2))
      await feed.markUnread(marked, at(3))
      await retractions.apply([retraction(1, { notificationId: retracted })])
      expect(await receipts.apply([readReceipt(1, inserted)], { now: new Date(), group: 'test' })).toMatchObject({
        waiting: 1,
      })
    }
  })
  await runAll(rewrite)
  expect(await state()).toEqual({ [marked]: 'unread', [inserted]: 'read' })
})

test('starts again if the oplog no longer has the changes since the last step', async () => {
  const workload = createWorkload()
  const stream = database.watch()
  await stream.tryNext()
  await workload.fill(documents)
  const { _data } = (await stream.next())._id as { _data: string }
  await stream.close()
  await newRewrite().step()
  // The oplog of a new server reaches back to its beginning, so no time is too old; but this change never existed.
  const position = { _data: _data.replace(/....0004$/, 'FFFF0004') }
  await rewriteStateIn(database).updateOne({ _id: 'rewrite-notifications' }, { $set: { position } })
  await expect(newRewrite().step()).rejects.toThrow('run it again, from the start')
  expect(await runAll(newRewrite())).toEqual(['copying', 'following', 'switching', 'done'])
  expect(await state()).toEqual(workload.expected)
  await isRewritten()
})

test('a follower of changes sees those before and after it, and none of the copy', async () => {
  const [before, after] = [idAt(1), idAt(2)]
  const stop = new AbortController()
  const steps = store.feedChanges.watch({ signal: stop.signal })
  await steps.next()
  await notifications.insertNew([newNotification(before)])
  await runAll(store.rewrite)
  await notifications.insertNew([newNotification(after)])
  const seen: unknown[] = []
  for await (const step of steps) {
    if (step.kind === 'change') seen.push(step.read())
    if (JSON.stringify(seen).includes(after)) break
  }
  stop.abort()
  expect(seen).toEqual([before, after].map((id) => ({ kind: 'notification', json: expect.stringContaining(id) })))
})
