import { createChangeEntries } from '@herald/change-log'
import { changeEntry } from '@herald/change-log/testing'
import { newNotification } from '@herald/feed/testing'
import { noReadBudgets } from '@herald/mongo'
import { at, idAt, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { collectionsOf } from './collections/collections.ts'
import { createTestStore } from './test-store.fixture.ts'
import { createWriters } from './writers.ts'

const { uri, name, subscriberId, store, migrate, close } = createTestStore()
const client = new MongoClient(uri, { monitorCommands: true })
const commands: string[] = []
client.on('commandStarted', ({ commandName, command }) => commands.push(`${commandName} ${command[commandName]}`))
beforeAll(migrate)
afterAll(async () => {
  await close()
  await client.close()
})

const collections = collectionsOf(client.db(name))
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => at(1_000), unreadAfterMs: undefined }
const { insertNew, receipts, erasedPersons } = createWriters(collections)
const announced = createWriters(collections, { announcing })
const entries = createChangeEntries({ collection: collections.changeEntries, budgets: noReadBudgets, erasedPersons })
const mention = (n: number) => newNotification(idAt(n), { subscriberId, recipientIds: [uuid(2), uuid(3), uuid(4)] })
const receipt = {
  subscriberId,
  recipientId: uuid(3),
  notificationId: mention(1).id,
  kind: 'read',
  at: at(9),
  eventId: uuid(70),
  record: '',
} as const
const looks = ['aggregate tombstones']
const inserts = ['insert fan-outs', 'insert notifications']

test.each([
  ['a mention', () => insertNew([mention(1)]), [...looks, ...inserts, ...looks]],
  ['a mention that is announced', announce, [...looks, ...inserts, ...looks, 'update fan-outs']],
  [
    'a change event',
    () => entries.insertNew([changeEntry({ id: idAt(3), subscriberId })]),
    ['find erasures', 'insert change-entries', 'find erasures'],
  ],
  [
    'a receipt',
    () => receipts.apply([receipt], { now: at(10), group: 'g' }),
    ['update notifications', 'delete waiting-receipts'],
  ],
])('%s that comes alone costs few commands', async (_, work, expected) => {
  commands.length = 0
  await work()
  expect(commands).toEqual(expected)
})

async function announce(): Promise<void> {
  const { created } = await announced.insertNew([mention(2)])
  await created.settle(created.items)
}

test('a mention costs as few for somebody who has muted much, and among many retractions and receipts that wait', async () => {
  for (let n = 0; n < 50; n++) {
    const mutes = store.mutes.of({ subscriberId, recipientId: uuid(2) })
    await mutes.set({ kind: 'actor', id: uuid(1_000 + n) }, undefined, at(1))
  }
  const early = Array.from({ length: 50 }, (_, n) => ({
    ...receipt,
    notificationId: mention(2_000 + n).id,
    eventId: uuid(5_000 + n),
  }))
  await receipts.apply(early, { now: at(10), group: 'g' })
  commands.length = 0
  await insertNew([mention(4)])
  expect(commands).toEqual([...looks, ...inserts, ...looks])
})
