import process from 'node:process'
import { afterAll, beforeAll, expect, test as run } from '@jest/globals'
import { Binary, type Collection, Decimal128, Long, MongoClient, ObjectId } from 'mongodb'
import { type CapturedHerald, type Entry, newPrefix, startCapturedHerald } from './captured-herald.ts'
import { type StartedConnect, startConnect, whyNoConnect } from './connect.ts'
import { byTable, mappingOf, subscribers } from './mappings.ts'

const why = await whyNoConnect()
if (why) console.warn(`Skipped MongoDB: ${why}.`)
const test = why ? run.skip : run
const { MONGODB_URI = '' } = process.env
const shop = newPrefix('mo')
/** The captured database. */
const source = `source-${shop}`
const lookedUp = newPrefix('molu')
const topicOf = (prefix: string, collection: string) => `${prefix}.${source}.${collection}`
const customer = topicOf(shop, 'customer')
const withoutImages = topicOf(shop, 'without_images')
const customerLookedUp = topicOf(lookedUp, 'customer')
const subscriber = subscribers([customer, withoutImages, customerLookedUp])

let client: MongoClient
let herald: CapturedHerald
let connect: StartedConnect
type Row = { _id: string | number | ObjectId; [field: string]: unknown }
let customers: Collection<Row>
let others: Collection<Row>

const expected = byTable<Entry>()
const untilExpected = async (...topics: readonly string[]) => {
  for (const topic of topics) await herald.untilEntriesAre(subscriber(topic), expected(topic))
}

beforeAll(async () => {
  if (why) return
  client = await MongoClient.connect(MONGODB_URI)
  const database = client.db(source)
  customers = await database.createCollection<Row>('customer', { changeStreamPreAndPostImages: { enabled: true } })
  others = await database.createCollection<Row>('without_images')
  await customers.insertOne({ _id: 1, name: 'Ada' })
  const mapping = (topic: string) => ({ ...mappingOf(subscriber(topic), 'customer'), entityId: '_id' })
  herald = await startCapturedHerald(shop, {
    [customer]: { ...mapping(customer), snapshot: 'record' },
    [withoutImages]: mapping(withoutImages),
    [customerLookedUp]: mapping(customerLookedUp),
  })
  const settings = {
    'mongodb.connection.string': MONGODB_URI,
    'database.include.list': source,
    'capture.mode': 'change_streams_update_full_with_pre_image',
    'provide.transaction.metadata': 'true',
  }
  connect = await startConnect({
    kind: 'mongodb',
    brokers: herald.brokers,
    connectors: {
      [shop]: { ...settings, 'capture.mode.full.update.type': 'post_image' },
      [lookedUp]: {
        ...settings,
        'collection.include.list': `${source}.customer`,
        'provide.transaction.metadata': 'false',
      },
    },
  })
}, 400_000)

afterAll(async () => {
  await connect?.stop()
  await herald?.stop()
  await client?.db(source).dropDatabase()
  await client?.close()
}, 60_000)

const id = '64b000000000000000000001'
const oid = new ObjectId(id)

test('a snapshot is recorded', async () => {
  expected(customer).push(['create', '1', '', null, { _id: 1, name: 'Ada' }])
  await untilExpected(customer)
})

test('inserts, updates, a replacement and a delete', async () => {
  const uuid = '00000000-0000-4000-8000-000000000005'
  await customers.insertOne({
    _id: oid,
    name: 'Bo',
    email: null,
    big: Long.fromString('9007199254740993'),
    ratio: 0.1,
    amount: Decimal128.fromString('1234.5600'),
    at: new Date('2026-01-02T03:04:05.678Z'),
    uid: new Binary(Buffer.from(uuid.replaceAll('-', ''), 'hex'), 4),
    tags: ['a'],
    address: { city: 'Y', zip: '1' },
  })
  await customers.updateOne({ _id: oid }, { $set: { email: 'bo@example.org' } })
  await customers.updateOne(
    { _id: oid },
    {
      $set: { big: Long.fromString('9007199254740995'), 'address.city': 'Z' },
      $push: { tags: 'b' } as never,
      $unset: { ratio: 1 },
    },
  )
  await customers.updateOne({ _id: oid }, { $set: { name: 'Bo' } })
  await customers.replaceOne({ _id: oid }, { name: 'Replaced' })
  await customers.deleteOne({ _id: oid })
  const created = {
    _id: id,
    name: 'Bo',
    email: null,
    big: '9007199254740993',
    ratio: 0.1,
    amount: '1234.5600',
    at: '2026-01-02T03:04:05.678Z',
    uid: uuid,
    tags: ['a'],
    address: { city: 'Y', zip: '1' },
  }
  expected(customer).push(
    ['create', id, '', null, created],
    ['update', id, 'email', null, 'bo@example.org'],
    ['update', id, 'big', '9007199254740993', '9007199254740995'],
    ['update', id, 'address', { city: 'Y', zip: '1' }, { city: 'Z', zip: '1' }],
    ['update', id, 'tags', ['a'], ['a', 'b']],
    ['update', id, 'ratio', 0.1, null],
    ['update', id, 'name', 'Bo', 'Replaced'],
    ['update', id, 'email', 'bo@example.org', null],
    ['update', id, 'big', '9007199254740995', null],
    ['update', id, 'amount', '1234.5600', null],
    ['update', id, 'at', '2026-01-02T03:04:05.678Z', null],
    ['update', id, 'uid', uuid, null],
    ['update', id, 'tags', ['a', 'b'], null],
    ['update', id, 'address', { city: 'Z', zip: '1' }, null],
    ['delete', id, '', { _id: id, name: 'Replaced' }, null],
  )
  await untilExpected(customer)
})

test('several documents, and a transaction that changes one five times', async () => {
  await customers.insertMany([2, 3].map((_id) => ({ _id, n: 1 })))
  await customers.updateMany({ _id: { $in: [2, 3] } }, { $inc: { n: 1 } as never })
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await customers.insertOne({ _id: 'tx', n: 1 }, { session })
      for (const n of [2, 3, 2, 3]) await customers.updateOne({ _id: 'tx' }, { $set: { n } }, { session })
    }),
  )
  expected(customer).push(
    ...[2, 3].map((n): Entry => ['create', String(n), '', null, { _id: n, n: 1 }]),
    ...[2, 3].map((n): Entry => ['update', String(n), 'n', 1, 2]),
    ['create', 'tx', '', null, { _id: 'tx', n: 1 }],
    ['update', 'tx', 'n', 1, 2],
    ['update', 'tx', 'n', 2, 3],
    ['update', 'tx', 'n', 3, 2],
    ['update', 'tx', 'n', 2, 3],
  )
  await untilExpected(customer)
})

test('a collection without pre-images: only inserts make entries', async () => {
  await others.insertOne({ _id: 5, name: 'Bo' })
  await others.updateOne({ _id: 5 }, { $set: { name: 'Bob' } })
  await others.deleteOne({ _id: 5 })
  expected(withoutImages).push(['create', '5', '', null, { _id: 5, name: 'Bo' }])
  await untilExpected(withoutImages)
})

test('the dead letters name what to set', async () => {
  await herald.untilCaughtUp()
  const letters = await herald.deadLetters()
  const ofTopic = (topic: string) => letters.filter(([origin]) => origin === topic).map(([, code]) => code)
  expect(ofTopic(customer)).toEqual([])
  expect(ofTopic(withoutImages)).toEqual(['before_missing', 'before_missing'])
  // Within a transaction all states are looked up at once, and no position tells its changes apart.
  expect(new Set(ofTopic(customerLookedUp))).toEqual(new Set(['before_missing', 'transaction_order_missing']))
  await untilExpected(customer, withoutImages)
})

test('a connector that is killed and restarted loses and doubles nothing', async () => {
  await customers.insertOne({ _id: 9, name: 'Bo' })
  await customers.updateOne({ _id: 9 }, { $set: { name: 'Bob' } })
  expected(customer).push(['create', '9', '', null, { _id: 9, name: 'Bo' }], ['update', '9', 'name', 'Bo', 'Bob'])
  await untilExpected(customer)
  await connect.untilOffsetsAreFlushed()
  connect.kill('SIGKILL')
  await connect.exited
  await customers.updateOne({ _id: 9 }, { $set: { name: 'Bobby' } })
  await customers.deleteOne({ _id: 9 })
  await connect.restart()
  expected(customer).push(['update', '9', 'name', 'Bob', 'Bobby'], ['delete', '9', '', { _id: 9, name: 'Bobby' }, null])
  await untilExpected(customer)
  // Records that are delivered again become dead letters again, so only this topic can be compared.
  await herald.untilCaughtUp()
  expect((await herald.deadLetters()).filter(([origin]) => origin === customer)).toEqual([])
})
