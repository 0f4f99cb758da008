import process from 'node:process'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test as run } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { type CapturedHerald, type FullEntry, newPrefix, startCapturedHerald } from './captured-herald.ts'
import { type ConnectOptions, type StartedConnect, startConnect, whyNoConnect } from './connect.ts'
import { mappingOf, subscribers } from './mappings.ts'

const why = await whyNoConnect()
if (why) console.warn(`Skipped snapshots of MongoDB: ${why}.`)
const test = why ? run.skip : run
const { MONGODB_URI = '' } = process.env
const shop = newPrefix('ms')
const source = `source-${shop}`
const topic = `${shop}.${source}.doc`
const subscriber = subscribers([topic])(topic)

let client: MongoClient
let herald: CapturedHerald
let connect: StartedConnect | undefined
let options: ConnectOptions
const start = Date.now()

beforeAll(async () => {
  if (why) return
  client = await MongoClient.connect(MONGODB_URI)
  await client
    .db(source)
    .collection('doc')
    .insertMany([{ name: 'Ada' }, { name: 'Bo' }])
  herald = await startCapturedHerald(shop, {
    [topic]: { ...mappingOf(subscriber, 'doc'), entityId: '_id', snapshot: 'record' },
  })
  options = {
    kind: 'mongodb',
    // This connector does not run in Connect 4.
    versions: { connect: '3.9.1', connector: '3.0.8.Final' },
    brokers: herald.brokers,
    connectors: { [shop]: { 'mongodb.connection.string': MONGODB_URI, 'database.include.list': source } },
  }
  connect = await startConnect(options)
}, 400_000)

afterAll(async () => {
  await connect?.stop()
  await herald?.stop()
  await client?.db(source).dropDatabase()
  await client?.close()
}, 60_000)

const titles = (entries: readonly FullEntry[]) => entries.map((entry) => entry.entityTitle).sort()

test('connector 3.0 writes the time 0 in snapshots: entries have the time of the envelope, and a next snapshot makes others', async () => {
  const untilEntries = async (count: number) => {
    await eventually(async () => (await herald.countRecords(topic)) >= count, { within: 60_000, every: 500 })
    await herald.untilCaughtUp()
    return herald.fullEntriesOf(subscriber)
  }
  const first = await untilEntries(2)
  expect(titles(first)).toEqual(['Ada', 'Bo'])
  await connect?.stop()
  await client
    .db(source)
    .collection('doc')
    .updateOne({ name: 'Bo' }, { $set: { name: 'Bob' } })
  // Without the offsets of the first one, it begins again with a snapshot.
  connect = await startConnect(options)
  const all = await untilEntries(4)
  expect(titles(all)).toEqual(['Ada', 'Ada', 'Bo', 'Bob'])
  expect(new Set(all.map(({ id }) => id)).size).toBe(4)
  for (const { createdAt } of all) expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(start)
  for (const record of await herald.recordsOf(topic)) {
    expect(JSON.parse(record.split('\n')[1] as string)).toMatchObject({ op: 'r', source: { ts_ms: 0 } })
  }
  expect(await herald.deadLetters()).toEqual([])
}, 300_000)
