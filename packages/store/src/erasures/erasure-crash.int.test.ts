import { createChangeEntries } from '@herald/change-log'
import { changeBy } from '@herald/change-log/testing'
import { mention, pageIn } from '@herald/feed/testing'
import { someFromTo } from '@herald/jest-preset/full-run'
import { at, createInterceptor, type Intercept, subscriberId, uuid } from '@herald/mongo/testing'
import { clear, erasure, findTraces, workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createEmptyStore } from '../test-store.fixture.ts'
import { createWriters } from '../writers.ts'

const { store, database, collections, migrate, close } = createEmptyStore()
beforeAll(migrate)
afterAll(close)

const [ada, bob] = [uuid(2), uuid(3)]
const author = { id: ada, name: 'Ada L.', image: 'ada.png' }
const metadata = '{"mention":{"mentionerName":"Ada L.","snippet":"Ada L. wrote"},"add":{},"edit":{}}'
const mentions = [
  mention(1, { recipientIds: [ada, bob] }),
  mention(2, { recipientIds: [bob], actor: author, metadata }),
  mention(3, { recipientIds: [bob], subjectId: ada }),
  mention(4, { recipientIds: [ada] }),
  mention(20, { recipientIds: [ada, bob], actor: author, metadata, locationId: uuid(77) }),
]
const unreadAfterMs = 60_000
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => at(0), unreadAfterMs }
const changes = [changeBy(ada, 1), changeBy(bob, 2)]
const receipt = {
  subscriberId,
  recipientId: ada,
  notificationId: mention(9).id,
  kind: 'read' as const,
  at: at(9),
  eventId: uuid(61_000),
  record: 'a receipt',
} as const

/** A process of its own, whose operations on MongoDB are intercepted. */
function startProcess(intercept?: Intercept) {
  const { wrap, operations } = createInterceptor(intercept)
  const wrapped = wrap(collections)
  const writers = createWriters(wrapped, { announcing, documentsPerStep: 2 })
  const { erasedPersons } = writers
  const changeEntries = createChangeEntries({ collection: wrapped.changeEntries, erasedPersons } as never)
  return { ...writers, operations, changeEntries }
}

type Process = ReturnType<typeof startProcess>
const storeAll = async (process: Process): Promise<void> => {
  const { created } = await process.insertNew(mentions)
  await process.changeEntries.insertNew(changes)
  await created.postpone(created.items, at(0))
  while ((await process.digests.writeNext(at(500), unreadAfterMs)) > 0);
  await process.receipts.apply([receipt], { now: at(100), group: 'g' })
}
const eraseAll = async ({ erasures }: Process): Promise<void> => {
  await erasures.accept([erasure(1, ada, 10)])
  await workOff(erasures)
}

/** Everything that can be read, with the pseudonym of this round as a word. */
async function state() {
  const traces = await findTraces(database, { ids: [], texts: ['Ada L. wrote'] })
  const lists = await Promise.all(
    [ada, bob].map(async (recipientId) => {
      const feed = store.notifications.of({ subscriberId, recipientId })
      const page = pageIn(await feed.list({ limit: 100, status: 'all' })) as { notifications: { id: string }[] }
      expect((await feed.counts()).unreadCount).toBe(page.notifications.length)
      return page.notifications
    }),
  )
  const log = JSON.parse(String(await store.changeEntries.of(subscriberId).list({}, 100))).data.changeEntries
  const pseudonym = log.find(({ user }: { user: { name: string } }) => user.name === '')?.user.id
  const written = await collections.digests.find({ data: { $exists: true } }).toArray()
  const digests = written.map(({ data }) => String(data)).toSorted()
  const text = JSON.stringify({ lists, log, digests }).replaceAll(pseudonym, 'pseudonym')
  const waiting = await collections.waitingReceipts.countDocuments()
  const open = await collections.erasures.countDocuments({ work: { $exists: true } })
  return { traces, waiting, open, text }
}

async function expected() {
  await clear(database)
  await storeAll(startProcess())
  await eraseAll(startProcess())
  const found = await state()
  expect(found).toMatchObject({
    waiting: 0,
    open: 0,
    traces: [...['notifications', 'notifications'], ...['digests', 'digests']],
  })
  expect(JSON.parse(found.text).lists.map((list: unknown[]) => list.length)).toEqual([1, 4])
  // Only what is newer than the erasure still names the person.
  expect(found.text.match(new RegExp(ada, 'g'))).toHaveLength(9)
  return found
}

describe.each([
  ['storing, then erasing', storeAll, eraseAll],
  ['erasing, then storing', eraseAll, storeAll],
])('%s', (_, first, second) => {
  async function countOperations(...works: readonly ((process: Process) => Promise<void>)[]): Promise<number> {
    await clear(database)
    const process = startProcess()
    for (const work of works) await work(process)
    return process.operations()
  }

  test('ends in the same state if the process is killed at any operation and everything is redelivered', async () => {
    const end = await expected()
    const total = await countOperations(first, second)
    expect(total).toBeGreaterThan(30)
    // Nothing of a process remains but what it wrote: killed before an operation is killed after the one before.
    for (const operation of someFromTo(0, total, 3)) {
      await clear(database)
      const killed = startProcess(async (now, when) => {
        if (now > operation || (now === operation && when === 'after')) throw new Error('killed')
      })
      await expect(first(killed).then(() => second(killed))).rejects.toThrow()
      const next = startProcess()
      await first(next)
      await second(next)
      await workOff(next.erasures)
      expect({ operation, ...(await state()) }).toEqual({ operation, ...end })
    }
  }, 600_000)

  test('ends in the same state if another process does the second between any two operations of the first', async () => {
    const end = await expected()
    const total = await countOperations(first)
    for (const operation of someFromTo(1, total, 3)) {
      await clear(database)
      const overtaken = startProcess(async (now, when) => {
        if (now === operation && when === 'before') await second(startProcess())
      })
      await first(overtaken)
      expect({ operation, ...(await state()) }).toEqual({ operation, ...end })
    }
  }, 600_000)

  test('ends in the same state if the first is overtaken, then killed, and delivered again', async () => {
    const end = await expected()
    const total = await countOperations(first)
    for (const operation of someFromTo(1, total, 3)) {
      await clear(database)
      const killed = startProcess(async (now, when) => {
        if (now === operation && when === 'before') await second(startProcess())
        if (now > operation + 1 || (now === operation + 1 && when === 'after')) throw new Error('killed')
      })
      await first(killed).catch(() => {})
      const next = startProcess()
      await first(next)
      await workOff(next.erasures)
      // A digest that was written in between is erased before it is published.
      await next.announcements.next(at(1_000))
      expect({ operation, ...(await state()) }).toEqual({ operation, ...end })
    }
  }, 600_000)
})

test('two processes that carry out the same erasure at the same time leave the same state', async () => {
  const end = await expected()
  await clear(database)
  await storeAll(startProcess())
  const [one, other] = [startProcess(), startProcess()]
  await one.erasures.accept([erasure(1, ada, 10)])
  await Promise.all([workOff(one.erasures), workOff(other.erasures)])
  expect(await state()).toEqual(end)
})
