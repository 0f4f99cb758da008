import { toKey } from '@herald/mongo'
import { at, createInterceptor, type Intercept, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { mention, retraction, withoutErasures } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'
import type { DueBatch } from './announcement.ts'

const { database, collections, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)

const mentions = [mention(1), mention(2, { recipientIds: [uuid(4), uuid(2), uuid(3)] })]
const ids = mentions.map(({ id }) => id)
const created = ids.map((id) => `created ${id}`)
const retracts = [retraction(1, { notificationId: ids[0] as string })]
const fromOne = retraction(2, { notificationId: ids[1] as string }, { recipientIds: [uuid(3)] })
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => at(30) }

/** Everything that was published, as kind and notification. */
let published: string[] = []
/** Published although it could not be read, or was not deleted yet. */
let early: string[] = []

async function clear(): Promise<void> {
  for (const name of ['notifications', 'fan-outs', 'tombstones']) await database.collection(name).deleteMany({})
  published = []
  early = []
}
beforeEach(clear)

const isReadable = async (recipientId: string, id: string) =>
  (await collections.notifications.findOne({ _id: toKey(subscriberId, recipientId, id) })) !== null

async function publish({ items }: DueBatch): Promise<void> {
  for (const one of items.flatMap(({ announcements }) => announcements)) {
    if (one.kind === 'unread') throw new Error('Nothing is announced as unread here')
    const id = one.notificationId
    for (const recipientId of one.parts.flat()) {
      const readable = await isReadable(recipientId, id)
      if (readable !== (one.kind === 'created')) early.push(`${one.kind} ${id} of ${recipientId}`)
    }
    published.push(`${one.kind} ${id}`)
  }
}

/** A process of its own, whose operations on MongoDB are intercepted. */
function startProcess(intercept?: Intercept) {
  const { wrap, operations } = createInterceptor(intercept)
  const { insertNew, retractions, unfinished, announcements } = createWriters(wrap(collections, withoutErasures), {
    announcing,
  })
  const settle = async (batch: DueBatch) => {
    await publish(batch)
    await batch.settle(batch.items)
  }
  return {
    operations,
    /** As the handling of events does. */
    async storeAll() {
      const { created: batch } = await insertNew(mentions)
      await settle(batch)
    },
    /** As it does until it is killed. */
    store: () => insertNew(mentions),
    /** As it does while the topic is unavailable. */
    async storeWithoutTopic() {
      const { created: batch } = await insertNew(mentions)
      await batch.postpone(batch.items, at(30))
    },
    create: () => insertNew(mentions.map((one) => ({ ...one, via: 'http' as const, finishBy: at(60) }))),
    retractAll: () => retractions.apply(retracts),
    retractFromOne: () => retractions.apply([fromOne]),
    finish: () => unfinished.finish(at(60)),
    async relay() {
      for (;;) {
        const batches = await announcements.next(at(1_000))
        if (batches.length === 0) return
        for (const batch of batches) await settle(batch)
      }
    },
  }
}

type Process = ReturnType<typeof startProcess>
type Work = (process: Process) => Promise<unknown>
const storeAll: Work = (process) => process.storeAll()
const storeWithoutTopic: Work = (process) => process.storeWithoutTopic()
const retractAll: Work = (process) => process.retractAll()

class Killed extends Error {}
const killedAt =
  (last: number, when: 'before' | 'after'): Intercept =>
  async (operation, now) => {
    if (operation > last || (operation === last && now === when)) throw new Killed()
  }

async function countOperations(work: Work): Promise<number> {
  await clear()
  const process = startProcess()
  await work(process)
  return process.operations()
}

/** Kills `work` before and after each of its operations on MongoDB. */
async function atEachKill(prepare: Work, work: Work, check: (place: object) => Promise<void>): Promise<void> {
  await clear()
  await prepare(startProcess())
  const process = startProcess()
  await work(process)
  for (let operation = 1; operation <= process.operations(); operation++) {
    for (const when of ['before', 'after'] as const) {
      await clear()
      await prepare(startProcess())
      await expect(work(startProcess(killedAt(operation, when)))).rejects.toThrow()
      await check({ operation, when })
    }
  }
}

const nothing: Work = async () => {}
const isDue = () => database.collection('fan-outs').countDocuments({ announceAt: { $exists: true } })

describe.each([
  ['announcing', storeAll],
  ['deferring', storeWithoutTopic],
])('storing and %s', (_, work) => {
  test('announces each notification after a kill at any operation and a redelivery, never too early', async () => {
    await atEachKill(nothing, work, async (place) => {
      // The relay may come first; it must not announce what is not stored for all.
      await startProcess().relay()
      await work(startProcess())
      await startProcess().relay()
      expect({ ...place, early, published: [...new Set(published)].sort() }).toEqual({
        ...place,
        early: [],
        published: created,
      })
      const { length } = published
      await work(startProcess())
      await startProcess().relay()
      expect({ ...place, more: published.length - length, due: await isDue() }).toEqual({ ...place, more: 0, due: 0 })
    })
  }, 300_000)

  test('announces nothing too early if the relay runs between any two operations', async () => {
    const total = await countOperations(work)
    for (let operation = 1; operation <= total; operation++) {
      await clear()
      await work(
        startProcess(async (now, when) => {
          if (now === operation && when === 'before') await startProcess().relay()
        }),
      )
      await startProcess().relay()
      expect({ operation, early, published: [...new Set(published)].sort() }).toEqual({
        operation,
        early: [],
        published: created,
      })
    }
  }, 300_000)
})

test('a request that is cut off at any operation is announced if and only if it has begun', async () => {
  await atEachKill(
    nothing,
    (process) => process.create(),
    async (place) => {
      await startProcess().relay()
      await startProcess().finish()
      await startProcess().relay()
      const begun = await collections.fanOuts.countDocuments()
      expect({ ...place, early, published: [...new Set(published)].sort() }).toEqual({
        ...place,
        early: [],
        published: begun > 0 ? created : [],
      })
    },
  )
}, 300_000)

test.each([
  ['before its notification is announced', storeWithoutTopic, ['created 2', 'retracted 1']],
  ['after it was announced', storeAll, ['created 1', 'created 2', 'retracted 1']],
])(
  'a retraction %s is announced once the notification is deleted, after a kill at any operation',
  async (_, prepare, expected) => {
    const named = expected.map((text) => text.replace(/\d/, (n) => ids[Number(n) - 1] as string))
    await atEachKill(prepare, retractAll, async (place) => {
      const before = published.length
      await retractAll(startProcess())
      await startProcess().relay()
      const again = published.slice(before)
      expect({ ...place, early, published: [...new Set(published)].sort() }).toEqual({
        ...place,
        early: [],
        published: named.toSorted(),
      })
      expect(again).toContain(`retracted ${ids[0]}`)
      const { length } = published
      await retractAll(startProcess())
      await storeAll(startProcess())
      await startProcess().relay()
      expect({ ...place, more: published.length - length, due: await isDue() }).toEqual({ ...place, more: 0, due: 0 })
    })
  },
  300_000,
)

test('a retraction that the relay finds before anything is deleted is announced afterwards only', async () => {
  const total = await countOperations(async (process) => {
    await process.storeAll()
    await process.retractAll()
  })
  for (let operation = 1; operation <= total; operation++) {
    await clear()
    await storeAll(startProcess())
    await retractAll(
      startProcess(async (now, when) => {
        if (now === operation && when === 'before') await startProcess().relay()
      }),
    )
    await startProcess().relay()
    expect({ operation, early, retracted: published.includes(`retracted ${ids[0]}`) }).toEqual({
      operation,
      early: [],
      retracted: true,
    })
  }
}, 300_000)

test('a notification that is retracted from some while it is stored is announced for the others once it is stored', async () => {
  const total = await countOperations(storeAll)
  for (let operation = 1; operation <= total; operation++) {
    await clear()
    await storeAll(
      startProcess(async (now, when) => {
        if (now !== operation || when !== 'before') return
        await startProcess().retractFromOne()
        await startProcess().relay()
      }),
    )
    await startProcess().relay()
    // The creation may have been read before the retraction, and be published after it.
    const tooEarly = early.filter((text) => !text.endsWith(uuid(3)))
    expect({ operation, tooEarly, published: [...new Set(published)].sort() }).toEqual({
      operation,
      tooEarly: [],
      published: [...created, `retracted ${ids[1]}`],
    })
  }
}, 300_000)

test('a retraction that comes while the relay works is announced by it later', async () => {
  const prepare = async () => {
    await clear()
    await storeWithoutTopic(startProcess())
    await retractAll(startProcess())
  }
  await prepare()
  const process = startProcess()
  await process.relay()
  for (let operation = 1; operation <= process.operations(); operation++) {
    await prepare()
    const overtaken = startProcess(async (now, when) => {
      if (now === operation && when === 'before') await startProcess().retractFromOne()
    })
    await overtaken.relay()
    await startProcess().relay()
    expect({ operation, published: [...new Set(published)].sort(), due: await isDue() }).toEqual({
      operation,
      published: [created[1], ...ids.map((id) => `retracted ${id}`)],
      due: 0,
    })
  }
}, 300_000)

test('the relay does not announce what was only stored for some when its process was killed', async () => {
  await startProcess().store()
  await collections.notifications.deleteOne({ _id: toKey(subscriberId, uuid(4), ids[1] as string) })
  await startProcess().retractFromOne()
  await startProcess().relay()
  expect(published).toEqual([`retracted ${ids[1]}`])
  await storeAll(startProcess())
  expect({ early, published }).toEqual({ early: [], published: [`retracted ${ids[1]}`, ...created] })
})

test('the relay reads 512 KiB of fan-outs at once, or one larger', async () => {
  const { insertNew, announcements } = createWriters(collections, { announcing })
  const { created } = await insertNew(Array.from({ length: 6 }, (_, n) => mention(n + 1)))
  await created.postpone(created.items, at(30))
  const pad = (bytes: number, which: object) =>
    collections.fanOuts.updateMany(which, { $set: { padding: 'x'.repeat(bytes) } } as object)
  await pad(200 * 1024, {})
  const [first] = await collections.fanOuts.find().toArray()
  await pad(600 * 1024, { _id: first?._id })
  const sizes: number[] = []
  for (;;) {
    const batches = await announcements.next(at(1_000))
    if (batches.length === 0) break
    sizes.push(batches.flatMap(({ items }) => items).length)
    for (const { items, settle } of batches) await settle(items)
  }
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(6)
  expect(Math.max(...sizes)).toBe(2)
  expect(sizes).toContain(1)
})
