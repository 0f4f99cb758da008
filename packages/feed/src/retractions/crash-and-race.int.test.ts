import { createInterceptor, type Intercept, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { bytesIn, decodePositions } from '../documents/recipient-list.ts'
import { pageIn } from '../new-notification.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'
import { mention, retraction, withoutErasures } from './fan-outs.fixture.ts'

const { store, database, collections, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)

const location = { locationType: 'comment', locationId: uuid(92) }
const mentions = [mention(1), mention(2, { recipientIds: [uuid(2), uuid(3), uuid(4)] }), mention(3), mention(8)]
const ids = mentions.map(({ id }) => id)
const retracts = [
  retraction(1, { notificationId: ids[0] as string }),
  retraction(2, { notificationId: ids[1] as string }, { recipientIds: [uuid(3)] }),
  retraction(3, location, { seconds: 3, recipientIds: [uuid(2)] }),
]
const remaining = { [uuid(2)]: [ids[3]], [uuid(3)]: [ids[3], ids[2]], [uuid(4)]: [ids[1]] }

/** A process of its own, whose operations on MongoDB are intercepted. */
function startProcess(intercept?: Intercept) {
  const { wrap, operations } = createInterceptor(intercept)
  let [time, isLate] = [0, false]
  const clock = () => {
    if (isLate) time += 1_000
    return time
  }
  return {
    ...createWriters(wrap(collections, withoutErasures), { clock }),
    operations,
    /** Has no time for anything that may be left. */
    async whileLate(work: () => Promise<unknown>) {
      isLate = true
      await work()
      isLate = false
    },
  }
}

class Killed extends Error {}
const isKilled = (error: Error) => {
  if (!(error instanceof Killed || error.cause instanceof Killed)) throw error
}

/** Kills a process before or after one of its operations; the process cannot tell whether that was carried out. */
const killedAt =
  (last: number, when: 'before' | 'after'): Intercept =>
  async (operation, now) => {
    if (operation > last || (operation === last && now === when)) throw new Killed()
  }

type Process = ReturnType<typeof startProcess>
const storeAll = async (process: Process) => void (await process.insertNew(mentions))
const retractAll = async (process: Process) => void (await process.retractions.apply(retracts))
const leaveAll = ({ whileLate, retractions }: Process) => whileLate(() => retractions.accept(retracts))
const goOn = async ({ retractions }: Process) => {
  for (let next = await retractions.nextLeft(); next !== undefined; next = await retractions.nextLeft()) {
    await retractions.goOn(next)
  }
}
const leaveAndGoOn = async (process: Process) => {
  await leaveAll(process)
  await goOn(process)
}

async function clear(): Promise<void> {
  for (const name of ['notifications', 'fan-outs', 'tombstones']) await database.collection(name).deleteMany({})
}

async function feeds() {
  const found = [uuid(2), uuid(3), uuid(4)].map(async (recipientId) => {
    const feed = store.notifications.of({ subscriberId, recipientId })
    const { notifications } = pageIn(await feed.list({ limit: 100, status: 'all' }))
    expect((await feed.counts()).unreadCount).toBe(notifications.length)
    return [recipientId, notifications.map(({ id }) => id)] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

const storeThenRetract = [storeAll, retractAll] as const
const retractThenStore = [retractAll, storeAll] as const
const storeThenLeave = [storeAll, leaveAndGoOn] as const
const leaveThenStore = [leaveAndGoOn, storeAll] as const

async function countOperations(work: (process: Process) => Promise<void>): Promise<number> {
  await clear()
  const process = startProcess()
  await work(process)
  return process.operations()
}

describe.each([
  ['storing, then retracting', storeThenRetract],
  ['retracting, then storing', retractThenStore],
  ['storing, then retracting what was left', storeThenLeave],
  ['retracting what was left, then storing', leaveThenStore],
])('%s', (_, [first, second]) => {
  const both = async (process: Process) => {
    await first(process)
    await second(process)
  }

  test('ends in the same state if the process is killed at any operation and everything is redelivered', async () => {
    const total = await countOperations(both)
    expect(await feeds()).toEqual(remaining)
    expect(total).toBeGreaterThan(10)
    for (let operation = 1; operation <= total; operation++) {
      for (const when of ['before', 'after'] as const) {
        await clear()
        await expect(both(startProcess(killedAt(operation, when)))).rejects.toThrow()
        await both(startProcess())
        expect({ operation, when, ...(await feeds()) }).toEqual({ operation, when, ...remaining })
      }
    }
  }, 300_000)

  test('ends in the same state if another process does the second between any two operations of the first', async () => {
    const total = await countOperations(first)
    for (let operation = 1; operation <= total; operation++) {
      await clear()
      const overtaken = startProcess(async (now, when) => {
        if (now === operation && when === 'before') await second(startProcess())
      })
      await first(overtaken)
      expect({ operation, ...(await feeds()) }).toEqual({ operation, ...remaining })
    }
  }, 300_000)

  test('ends in the same state if the first is overtaken and then killed, at any two operations', async () => {
    const total = await countOperations(first)
    for (let overtakenAt = 1; overtakenAt <= total; overtakenAt++) {
      for (let killed = overtakenAt; killed <= total; killed++) {
        await clear()
        const kill = killedAt(killed, 'after')
        let overtaking: Promise<void> | undefined
        const process = startProcess(async (now, when, name) => {
          await kill(now, when, name)
          if (now !== overtakenAt || when !== 'before') return
          overtaking = second(startProcess())
          await overtaking
        })
        await expect(first(process)).rejects.toThrow()
        // Operations that run side by side: the process may be killed at one while it is overtaken at another.
        await overtaking
        await first(startProcess())
        expect({ overtakenAt, killed, ...(await feeds()) }).toEqual({ overtakenAt, killed, ...remaining })
      }
    }
  }, 300_000)
})

test('what was left is retracted without another delivery, wherever those who go on are killed', async () => {
  const prepare = async () => {
    await clear()
    await storeAll(startProcess())
    await leaveAll(startProcess())
    expect(await feeds()).not.toEqual(remaining)
  }
  await prepare()
  const counted = startProcess()
  await goOn(counted)
  expect(counted.operations()).toBeGreaterThan(5)
  for (let operation = 1; operation <= counted.operations(); operation++) {
    for (const when of ['before', 'after'] as const) {
      await prepare()
      await goOn(startProcess(killedAt(operation, when))).catch(isKilled)
      await goOn(startProcess())
      expect({ operation, when, ...(await feeds()) }).toEqual({ operation, when, ...remaining })
    }
  }
}, 300_000)

test('notes each recipient once, if two processes retract the same notifications', async () => {
  const others = [retraction(11, { notificationId: ids[0] as string }), retraction(12, location, { seconds: 2 })]
  const total = await countOperations(retractAll)
  for (let operation = 1; operation <= total; operation++) {
    await clear()
    await storeAll(startProcess())
    const overtaken = startProcess(async (now, when) => {
      if (now === operation && when === 'before') await startProcess().retractions.apply(others)
    })
    await retractAll(overtaken)
    const noted = await collections.fanOuts
      .find()
      .map(({ retractions = [] }) => retractions.flatMap(({ positions }) => [...decodePositions(bytesIn(positions))]))
      .toArray()
    expect({ operation, noted: noted.map((positions) => positions.toSorted()) }).toEqual({
      operation,
      noted: [[0, 1], [0, 1, 2], [0], []],
    })
  }
}, 300_000)

describe('a request whose process is killed at any operation', () => {
  // In the past, because MongoDB's own time says when a retraction is done once more.
  const finishBy = new Date('2026-01-01T00:01:00Z')
  const tooEarly = new Date(finishBy.getTime() - 1)
  const [given] = [mention(5, { recipientIds: [uuid(2), uuid(3), uuid(4)], via: 'http' })]
  const create = async (process: Process) => void (await process.insertNew([{ ...given, finishBy }]))
  const remove = async (process: Process) =>
    void (await process.retractions.apply([retraction(20, { notificationId: given.id }, { finishBy })]))
  const everyone = { [uuid(2)]: [given.id], [uuid(3)]: [given.id], [uuid(4)]: [given.id] }
  const none = { [uuid(2)]: [], [uuid(3)]: [], [uuid(4)]: [] }
  const countDue = async () =>
    (await collections.fanOuts.countDocuments({ dueAt: { $exists: true } })) +
    (await collections.tombstones.countDocuments({ dueAt: { $exists: true }, done: { $exists: false } }))

  test.each([
    ['creates for all recipients or for none', [] as const, create, everyone, none],
    ['retracts from all recipients or from none', [create] as const, remove, none, everyone],
    ['creates nothing that was retracted meanwhile', [remove] as const, create, none, none],
  ])(
    '%s',
    async (_, before, request, done, notBegun) => {
      const total = await countOperations(request)
      let finishedAny = false
      for (let operation = 1; operation <= total; operation++) {
        for (const when of ['before', 'after'] as const) {
          await clear()
          for (const prepare of before) await prepare(startProcess())
          await request(startProcess(killedAt(operation, when))).catch(isKilled)
          const { unfinished } = startProcess()
          expect(await unfinished.finish(tooEarly)).toEqual({ finished: 0, refused: [], again: 0 })
          const { finished } = await unfinished.finish(finishBy)
          finishedAny ||= finished > 0
          expect({ operation, when, ...(await feeds()) }).toEqual({
            operation,
            when,
            ...((await hasBegun(request)) ? done : notBegun),
          })
          expect([await countDue(), (await unfinished.finish(finishBy)).finished]).toEqual([0, 0])
        }
      }
      expect(finishedAny).toBe(true)
    },
    300_000,
  )

  async function hasBegun(request: typeof create): Promise<boolean> {
    const collection = request === create ? collections.fanOuts : collections.tombstones
    return (await collection.countDocuments()) > 0
  }
})
