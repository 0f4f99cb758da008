import { randomBytes, randomUUID } from 'node:crypto'
import { limits, makeUuidV7 } from '@herald/contracts'
import type { NewNotification } from '@herald/feed'
import { createDeadlines } from '@herald/runtime'
import { createStore } from '@herald/store'
import { databaseOfWorker, emptyDatabase, migrateOnce } from '@herald/test-servers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import type { DeadLetter } from '../produce/dead-letter.ts'
import { createOverdueReceipts, type OverdueReceiptsDependencies } from './overdue-receipts.ts'
import { toRecordText } from './record-text.ts'
import { mentionData, recordOf, uuid } from './records.fixture.ts'

const uri = process.env.MONGODB_URI ?? ''
const database = databaseOfWorker()
const store = createStore({ uri, database, applicationName: 'test' })
const receivedAt = new Date('2026-01-01T00:00:00Z')
const after = (milliseconds: number) => new Date(receivedAt.getTime() + milliseconds)
const late = after(limits.receiptWaitMs + 1)

let client: MongoClient
const waiting = () => client.db(database).collection('waiting-receipts')
beforeAll(async () => {
  client = await MongoClient.connect(uri)
  await migrateOnce(uri, database, store.migrate)
  await emptyDatabase(uri, database)
})
beforeEach(async () => void (await waiting().deleteMany({})))
afterAll(async () => {
  await store.close()
  await client?.close()
})

/** Stores a read receipt without its notification; `arrive` inserts the notification. */
async function waits(value: string) {
  const { recipientIds, ...data } = mentionData()
  const notification = {
    ...data,
    id: makeUuidV7(receivedAt.getTime(), randomBytes(10)),
    type: 'mention',
    subscriberId: uuid(90),
    createdAt: receivedAt,
    metadata: JSON.stringify(data.metadata),
    recipientIds,
  } as NewNotification
  const record = { ...recordOf(value, { constructor: Buffer.from([0, 255]) }), topic: 'receipt-events' }
  await store.receipts.apply(
    [
      {
        subscriberId: uuid(90),
        recipientId: recipientIds[0] as string,
        notificationId: notification.id,
        kind: 'read',
        at: receivedAt,
        eventId: randomUUID(),
        record: toRecordText(record),
      },
    ],
    { now: receivedAt, group: 'herald-ingest' },
  )
  return { record, arrive: () => store.notifications.insertNew([notification]) }
}

/** Processes overdue receipts once: at `late`, with the mentions handled until then, unless `changes` overrides it. */
async function processOnce(changes: Partial<OverdueReceiptsDependencies> = {}) {
  const letters: DeadLetter[] = []
  const observed: [code: string, count: number][] = []
  const warnings: unknown[] = []
  const overdue = createOverdueReceipts({
    receipts: store.receipts,
    deadLetters: { publish: async (published) => void letters.push(...published) },
    group: 'herald-ingest',
    clock: () => late,
    logger: { warn: ({ err }: { err: Error }) => void warnings.push(err.message) } as never,
    deadlines: createDeadlines(() => late),
    mentionsCaughtUpTo: () => late,
    observe: (code, count) => void observed.push([code, count]),
    ...changes,
  })
  await overdue.process()
  return { letters, observed, warnings }
}

const nothing = { letters: [], observed: [], warnings: [] }

test('dead-letters a receipt after 10 minutes, once and byte for byte', async () => {
  const { record } = await waits('one')
  const { letters, observed } = await processOnce()
  expect(observed).toEqual([['unmatched_receipt', 1]])
  // A header is written the same way whether it is a value or a list of one.
  const headers = { constructor: [record.headers.constructor] }
  expect(letters).toEqual([
    {
      record: { ...record, headers },
      code: 'unmatched_receipt',
      detail: 'No notification arrived for this receipt within 10 minutes',
    },
  ])
  expect(await waiting().countDocuments()).toBe(0)
})

test('dead-letters all overdue receipts', async () => {
  for (const value of ['one', 'two', 'three']) await waits(value)
  const { letters } = await processOnce()
  expect(letters.map(({ record }) => String(record.value)).toSorted()).toEqual(['one', 'three', 'two'])
})

test.each<[string, Partial<OverdueReceiptsDependencies>]>([
  ['for 10 minutes', { clock: () => after(limits.receiptWaitMs) }],
  ['while the position in the mention topic is unknown', { mentionsCaughtUpTo: () => undefined }],
  ['while mentions published before it are not handled', { mentionsCaughtUpTo: () => receivedAt }],
])('keeps a receipt waiting %s', async (_, changes) => {
  await waits('one')
  expect(await processOnce(changes)).toEqual(nothing)
  expect((await processOnce()).letters).toHaveLength(1)
})

test('applies a receipt whose notification arrived in the meantime', async () => {
  const { arrive } = await waits('one')
  await arrive()
  expect(await processOnce()).toEqual(nothing)
  expect(await waiting().countDocuments()).toBe(0)
})

test('keeps a receipt that could not be published and retries it after its lease', async () => {
  await waits('one')
  const publish = () => Promise.reject(new Error('The topic is unavailable'))
  expect(await processOnce({ deadLetters: { publish } })).toEqual({
    ...nothing,
    warnings: ['The topic is unavailable'],
  })
  expect(await processOnce()).toEqual(nothing)
  const leaseOver = new Date(late.getTime() + 60_000)
  expect((await processOnce({ clock: () => leaseOver })).letters).toHaveLength(1)
})

test('processes a limited number of batches per call and continues in the next call', async () => {
  const record = toRecordText({ ...recordOf('pile'), topic: 'receipt-events' })
  const receipts = Array.from({ length: 500 }, () => ({
    subscriberId: uuid(90),
    recipientId: randomUUID(),
    notificationId: randomUUID(),
    kind: 'read' as const,
    at: receivedAt,
    eventId: randomUUID(),
    record,
  }))
  await store.receipts.apply(receipts, { now: receivedAt, group: 'herald-ingest' })
  const first = await processOnce({ mostBatches: 2 })
  expect(first.letters).toHaveLength(400)
  const second = await processOnce({ mostBatches: 2 })
  expect(second.letters).toHaveLength(100)
  expect(await waiting().countDocuments()).toBe(0)
})

test('gives up a batch that does not end', async () => {
  await waits('one')
  const publish = () => new Promise<void>(() => {})
  const { warnings } = await processOnce({ deadLetters: { publish }, limitMs: 300 })
  expect(warnings).toEqual(['A batch of overdue receipts has not ended within 0.3 s'])
})
