import { randomBytes, randomUUID } from 'node:crypto'
import { type CreateNotification, formatTimestamp } from '@herald/contracts'
import type { NewNotification } from '@herald/feed'
import { createStore, StorageUnavailableError } from '@herald/store'
import { databaseOfRun, migrateOnce } from '@herald/test-servers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { type CreateOutcome, createNotificationCreation } from './create-notification.ts'
import { createRequest } from './create-request.fixture.ts'
import type { Author } from './new-notification.ts'

const uri = process.env.MONGODB_URI ?? ''
const database = databaseOfRun()
const store = createStore({ uri, database, applicationName: 'test' })

const uuid = (n: number) => `0190a6e0-7c1b-4def-8abc-${n.toString(16).padStart(12, '0')}`
const subscriberId: string = randomUUID()
const author: Author = { subscriberId, actor: { id: uuid(2), name: 'Ada', image: '' } }
const recipientIds = Array.from({ length: 30 }, (_, n) => uuid(100 + n))
const body = (changes: Partial<CreateNotification> = {}) =>
  createRequest({
    subjectId: uuid(3),
    locationId: uuid(4),
    metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', anchorId: 'a' }, add: { b: 1, a: 2 }, edit: {} },
    recipientIds,
    ...changes,
  })

/** In the future, because MongoDB deletes requests that have expired by its own clock. */
const start = Date.parse('2100-03-01T00:00:00.500Z')
let seconds = 0
beforeEach(() => {
  seconds = 0
})

type InsertNew = (notifications: readonly NewNotification[]) => ReturnType<typeof store.notifications.insertNew>

/** Creates the use case on the real store; `insertNew` replaces the fan-out. */
const createService = (insertNew: InsertNew = store.notifications.insertNew) =>
  createNotificationCreation({
    notifications: { insertNew },
    createRequests: store.createRequests,
    clock: () => new Date(start + seconds * 1_000),
    randomBytes: () => randomBytes(10),
  })
const create = createService()

const created = (outcome: CreateOutcome) => {
  if (outcome.kind !== 'created') throw new Error(outcome.kind)
  return outcome.notification
}

const feed = (n: number) => store.notifications.of({ subscriberId, recipientId: recipientIds[n] as string })
const isWith = async (n: number, id: string) => (await feed(n).get(id)) !== null
/** Counts the recipients who have the notification. */
const countOf = async (id: string) => {
  const found = await Promise.all(recipientIds.map((_, n) => isWith(n, id)))
  return found.filter(Boolean).length
}
const idsOfFirst = async (): Promise<string[]> => {
  const { notifications } = JSON.parse(String(await feed(0).list({ limit: 100, status: 'all' }))).data
  return notifications.map(({ id }: { id: string }) => id)
}

/** Leaves the fan-out as if the process had died before these recipients. */
async function removeFrom({ subscriberId, id }: NewNotification, recipients: readonly string[]): Promise<void> {
  const client = new MongoClient(uri)
  const keys = recipients.map((recipient) => Buffer.from((subscriberId + recipient + id).replaceAll('-', ''), 'hex'))
  await client
    .db(database)
    .collection('notifications')
    .deleteMany({ _id: { $in: keys as never[] } })
  await client.close()
}

beforeAll(() => migrateOnce(uri, database, store.migrate))
afterAll(() => store.close())

test('creates a notification per request without a key', async () => {
  const [one, other] = [
    created(await create(body(), author, undefined)),
    created(await create(body(), author, undefined)),
  ]
  expect(one.id).not.toBe(other.id)
  expect([await countOf(one.id), await countOf(other.id)]).toEqual([30, 30])
})

test('returns the first notification with its original time for the same key and body', async () => {
  const first = created(await create(body(), author, 'again'))
  seconds = 3_600
  expect(created(await create(body(), author, 'again'))).toEqual(first)
  expect((await idsOfFirst()).filter((id) => id === first.id)).toHaveLength(1)
})

test('compares bodies as JSON values: ignores the order of keys but not of array elements', async () => {
  const first = created(await create(body(), author, 'order'))
  const { metadata, ...others } = body()
  const turned = { metadata: { edit: {}, add: { a: 2, b: 1 }, mention: metadata.mention }, ...others }
  expect(created(await create(turned, author, 'order')).id).toBe(first.id)
  const other = await create(body({ recipientIds: recipientIds.toReversed() }), author, 'order')
  expect(other).toEqual({ kind: 'other-body' })
})

test('scopes a key to a user and a subscriber', async () => {
  const first = created(await create(body(), author, 'mine'))
  const colleague = { ...author, actor: { ...author.actor, id: uuid(5) } }
  const elsewhere = { ...author, subscriberId: randomUUID() }
  expect(created(await create(body(), colleague, 'mine')).id).not.toBe(first.id)
  expect(created(await create(body(), elsewhere, 'mine')).id).not.toBe(first.id)
})

test('creates one notification for ten concurrent requests with one key', async () => {
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => create(body(), author, 'ten')))
  const ids = new Set(outcomes.flatMap((outcome) => (outcome.kind === 'created' ? [outcome.notification.id] : [])))
  expect(ids.size).toBe(1)
  for (const outcome of outcomes) expect(['created', 'in-progress']).toContain(outcome.kind)
  const [id = ''] = ids
  expect(await countOf(id)).toBe(30)
  expect(created(await create(body(), author, 'ten')).id).toBe(id)
})

/** Simulates a crash: the promise never settles. */
const dies = () => new Promise<never>(() => {})

test.each([
  ['after the reservation', 0],
  ['after a part of the fan-out', 17],
  ['after the fan-out, before the request was marked as finished', 30],
])('completes the same notification once the 30 s lease of a process that crashed %s is over', async (_, stored) => {
  const key = `died after ${stored}`
  const reservation = Promise.withResolvers<NewNotification>()
  const dead = createService(async ([notification]) => {
    if (notification === undefined) throw new Error('Nothing to store')
    if (stored > 0) {
      await store.notifications.insertNew([notification])
      await removeFrom(notification, notification.recipientIds.slice(stored))
    }
    const { finishBy: _, ...content } = notification
    reservation.resolve(content)
    return dies()
  })
  void dead(body(), author, key)
  const reserved = await reservation.promise
  expect(await countOf(reserved.id)).toBe(stored)

  seconds = 29.999
  const until = new Date(start + 30_000)
  expect(await create(body(), author, key)).toEqual({ kind: 'in-progress', until })
  expect(await create(body({ subjectId: uuid(9) }), author, key)).toEqual({ kind: 'other-body' })
  seconds = 30
  // A notification read in the meantime stays read.
  if (stored > 0) await feed(0).markRead(reserved.id, new Date(start))
  const completed = created(await create(body(), author, key))
  expect(completed).toEqual(reserved)
  expect(completed.createdAt).toEqual(new Date(start))
  expect(await countOf(reserved.id)).toBe(30)
  if (stored > 0)
    expect(String(await feed(0).get(reserved.id))).toContain(`"readAt":"${formatTimestamp(new Date(start))}"`)
  expect(created(await create(body(), author, key))).toEqual(reserved)
})

test('releases the key at once after a failed fan-out, and retries with the reserved id', async () => {
  let tried: string | undefined
  const failing = createService(async ([notification]) => {
    tried = notification?.id
    throw new StorageUnavailableError('away')
  })
  await expect(failing(body(), author, 'failed')).rejects.toThrow(StorageUnavailableError)
  seconds = 1
  const retried = created(await create(body(), author, 'failed'))
  expect([retried.id, retried.createdAt]).toEqual([tried, new Date(start)])
  expect(await countOf(retried.id)).toBe(30)
})

test('allows a key to be reused after a day', async () => {
  const first = created(await create(body(), author, 'day'))
  seconds = 24 * 60 * 60 - 1
  expect(created(await create(body(), author, 'day')).id).toBe(first.id)
  seconds = 24 * 60 * 60
  expect(created(await create(body({ subjectId: uuid(9) }), author, 'day')).id).not.toBe(first.id)
})
