import { randomBytes, randomUUID } from 'node:crypto'
import { limits, makeUuidV7 } from '@herald/contracts'
import { createStore, type NewNotification } from '@herald/store'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import type { DeadLetter } from './dead-letter.ts'
import { createOverdueReceipts, type OverdueReceiptsDependencies } from './overdue-receipts.ts'
import { toRecordText } from './record-text.ts'
import { mentionData, recordOf, uuid } from './records.fixture.ts'

const uri = process.env.MONGODB_URI ?? ''
const database = `herald-test-overdue-${process.pid}`
const store = createStore({ uri, database, applicationName: 'test' })
const came = new Date('2026-01-01T00:00:00Z')
const after = (milliseconds: number) => new Date(came.getTime() + milliseconds)
const late = after(limits.receiptWaitMs + 1)

let client: MongoClient
const waiting = () => client.db(database).collection('waiting-receipts')
beforeAll(async () => {
  client = await MongoClient.connect(uri)
  await store.migrate()
})
beforeEach(async () => void (await waiting().deleteMany({})))
afterAll(async () => {
  await store.close()
  await client?.db(database).dropDatabase()
  await client?.close()
})

/** A read receipt for a notification that is not there, and a way to have it arrive. */
async function waits(value: string) {
  const { recipientIds, ...data } = mentionData()
  const notification = {
    ...{ ...data, id: makeUuidV7(came.getTime(), randomBytes(10)), type: 'mention', subscriberId: uuid(90) },
    ...{ createdAt: came, metadata: JSON.stringify(data.metadata), recipientIds },
  } as NewNotification
  const record = { ...recordOf(value, { constructor: Buffer.from([0, 255]) }), topic: 'receipt-events' }
  await store.receipts.apply(
    [
      {
        ...{ subscriberId: uuid(90), recipientId: recipientIds[0] as string, notificationId: notification.id },
        ...{ kind: 'read', at: came, eventId: randomUUID(), record: toRecordText(record) },
      },
    ],
    { now: came, group: 'herald-ingest' },
  )
  return { record, arrive: () => store.notifications.insertNew([notification]) }
}

/** Looks once, at `late` and with the mentions handled until then unless the changes say otherwise. */
async function look(changes: Partial<OverdueReceiptsDependencies> = {}) {
  const letters: DeadLetter[] = []
  const observed: [code: string, count: number][] = []
  const warnings: unknown[] = []
  const overdue = createOverdueReceipts({
    receipts: store.receipts,
    deadLetters: { publish: async (published) => void letters.push(...published) },
    group: 'herald-ingest',
    clock: () => late,
    logger: { warn: ({ err }: { err: Error }) => void warnings.push(err.message) } as never,
    mentionsHandledUntil: () => late,
    observe: (code, count) => void observed.push([code, count]),
    ...changes,
  })
  await overdue.look()
  return { letters, observed, warnings }
}

const nothing = { letters: [], observed: [], warnings: [] }

test('a receipt that waited for 10 minutes is a dead letter, once, byte for byte the record that it was', async () => {
  const { record } = await waits('one')
  const { letters, observed } = await look()
  expect(observed).toEqual([['unmatched_receipt', 1]])
  // What is written of a header is the same whether it is one or a list of one.
  const headers = { constructor: [record.headers.constructor] }
  expect(letters).toEqual([
    {
      record: { ...record, headers },
      code: 'unmatched_receipt',
      detail: 'No notification came for this receipt within 10 minutes',
    },
  ])
  expect(await waiting().countDocuments()).toBe(0)
})

test('all of them are', async () => {
  for (const value of ['one', 'two', 'three']) await waits(value)
  const { letters } = await look()
  expect(letters.map(({ record }) => String(record.value)).toSorted()).toEqual(['one', 'three', 'two'])
})

test.each<[string, Partial<OverdueReceiptsDependencies>]>([
  ['before 10 minutes are over', { clock: () => after(limits.receiptWaitMs) }],
  ['while nobody knows how far the mentions are handled', { mentionsHandledUntil: () => undefined }],
  ['while mentions from before it came are not handled', { mentionsHandledUntil: () => came }],
])('it goes on waiting %s', async (_, changes) => {
  await waits('one')
  expect(await look(changes)).toEqual(nothing)
  expect((await look()).letters).toHaveLength(1)
})

test('one whose notification came meanwhile is applied instead', async () => {
  const { arrive } = await waits('one')
  await arrive()
  expect(await look()).toEqual(nothing)
  expect(await waiting().countDocuments()).toBe(0)
})

test('one that could not be published is kept, and tried again once its lease is over', async () => {
  await waits('one')
  const publish = () => Promise.reject(new Error('The topic is away'))
  expect(await look({ deadLetters: { publish } })).toEqual({ ...nothing, warnings: ['The topic is away'] })
  expect(await look()).toEqual(nothing)
  const leaseOver = new Date(late.getTime() + 60_000)
  expect((await look({ clock: () => leaseOver })).letters).toHaveLength(1)
})

test('of a pile a look works off some batches, and the next look goes on', async () => {
  const record = toRecordText({ ...recordOf('pile'), topic: 'receipt-events' })
  const receipts = Array.from({ length: 5_000 }, () => ({
    ...{ subscriberId: uuid(90), recipientId: randomUUID(), notificationId: randomUUID(), kind: 'read' as const },
    ...{ at: came, eventId: randomUUID(), record },
  }))
  await store.receipts.apply(receipts, { now: came, group: 'herald-ingest' })
  const first = await look()
  expect(first.letters).toHaveLength(4_000)
  const second = await look()
  expect(second.letters).toHaveLength(1_000)
  expect(await waiting().countDocuments()).toBe(0)
}, 60_000)
