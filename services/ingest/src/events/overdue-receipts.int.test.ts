import { randomBytes, randomUUID } from 'node:crypto'
import { limits, makeUuidV7 } from '@herald/contracts'
import { createStore, type NewNotification } from '@herald/store'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import type { DeadLetter } from './dead-letter.ts'
import { deadLetterOverdueReceipts, type OverdueReceiptsDependencies } from './overdue-receipts.ts'
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
    came,
  )
  return { record, arrive: () => store.notifications.insertNew([notification]) }
}

/** Looks once, at `late` and with the mentions handled until then unless told. */
async function look(changes: Partial<OverdueReceiptsDependencies> = {}) {
  const letters: DeadLetter[] = []
  const observed: string[] = []
  const count = await deadLetterOverdueReceipts({
    receipts: store.receipts,
    deadLetters: { publish: async (published) => void letters.push(...published) },
    clock: () => late,
    mentionsHandledUntil: () => late,
    observe: (code) => void observed.push(code),
    ...changes,
  })
  return { count, letters, observed }
}

const nothing = { count: 0, letters: [], observed: [] }

test('a receipt that waited for 10 minutes is a dead letter, once, byte for byte the record that it was', async () => {
  const { record } = await waits('one')
  const { count, letters, observed } = await look()
  expect([count, observed]).toEqual([1, ['unmatched_receipt']])
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

test('all of them are, the one that waits longest first', async () => {
  for (const value of ['one', 'two', 'three']) await waits(value)
  const { count, letters } = await look()
  expect(count).toBe(3)
  expect(letters.map(({ record }) => String(record.value)).toSorted()).toEqual(['one', 'three', 'two'])
})

test.each<[string, Partial<OverdueReceiptsDependencies>]>([
  ['before 10 minutes are over', { clock: () => after(limits.receiptWaitMs) }],
  ['while nobody knows how far the mentions are handled', { mentionsHandledUntil: () => undefined }],
  ['while mentions from before it came are not handled', { mentionsHandledUntil: () => came }],
])('it goes on waiting %s', async (_, changes) => {
  await waits('one')
  expect(await look(changes)).toEqual(nothing)
  expect((await look()).count).toBe(1)
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
  await expect(look({ deadLetters: { publish } })).rejects.toThrow('The topic is away')
  expect(await look()).toEqual(nothing)
  const leaseOver = new Date(late.getTime() + 60_000)
  expect((await look({ clock: () => leaseOver })).count).toBe(1)
})
