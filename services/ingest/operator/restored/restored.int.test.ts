import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectTestClients } from '@herald/kafka/testing'
import { createTopics, eventually } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { envelopeOf, mappingOf, recordOf, rowOf } from '#ingest/captured-changes/records.fixture'
import { attributes, changeData, mentionData, structured } from '#ingest/events/records.fixture'
import { createNewIngest, type TestIngest } from '#ingest/ingest.fixture'
import { commandEnvironment, runHere } from '../command-line/herald.fixture.ts'

const { producer } = connectTestClients()
const captured = `restored-captured-${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'restored-'))
const mappings = join(folder, 'mappings.yaml')
const client = new MongoClient(process.env.MONGODB_URI ?? '')
const subscriberId = randomUUID()
const mention = 'herald.mention.created.v1'
let published = 0
let ingest: TestIngest | undefined

beforeAll(() => {
  writeFileSync(mappings, JSON.stringify({ topics: { [captured]: { ...mappingOf(), user: { id: 'changed_by' } } } }))
})
afterEach(async () => {
  await ingest?.stop()
  ingest = undefined
})
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})

type Backup = ReadonlyMap<string, Document[]>

/** The processes of the test follow each other: each has the same topics and group, and a database with what the backup has. */
async function startOn(backup: Backup = new Map()): Promise<TestIngest> {
  const started = await createNewIngest('restored', { environment: { CDC_MAPPINGS: mappings } })
  ingest = started
  await createTopics(started.brokers, { ...started.topics, notification: captured }, { partitions: 2 })
  await started.migrate()
  for (const [name, documents] of backup)
    if (documents.length > 0) await client.db(started.database).collection(name).insertMany(documents)
  return started
}

async function copy({ database: name }: TestIngest): Promise<Backup> {
  const database = client.db(name)
  const found = await database.listCollections({}, { nameOnly: true }).toArray()
  const read = async (collection: string) =>
    [collection, await database.collection(collection).find().toArray()] as const
  return new Map(await Promise.all(found.map((one) => read(one.name))))
}

async function publish({ topics }: TestIngest, id: string): Promise<void> {
  const send = (topic: string, type: string, data: unknown) => {
    const { value, headers } = structured(attributes({ id: `${id}-${type}`, type, subscriberid: subscriberId }), data)
    const message = { key: subscriberId, value, headers: headers as Record<string, Buffer> }
    return producer.send({ topic, messages: [message] })
  }
  await send(topics.mention, mention, mentionData({ recipientIds: [randomUUID()] }))
  await send(topics.change, 'herald.change.recorded.v1', changeData())
  await send(topics.privacy, 'herald.person.erased.v1', { personId: randomUUID() })
  const row = rowOf({ tenant: subscriberId })
  const envelope = envelopeOf({ before: { ...row, name: id }, after: row }, { lsn: ++published })
  const { key, value } = recordOf(envelope)
  await producer.send({ topic: captured, messages: [{ key, value }] })
}

/** The number of stored documents of each kind of event. */
async function countStored({ database }: TestIngest) {
  const count = (name: string) =>
    client
      .db(database)
      .collection(name)
      .countDocuments({ version: { $exists: false } })
  return {
    notifications: await count('notifications'),
    entries: await count('change-entries'),
    erasures: await count('erasures'),
  }
}

const untilStored = (of: TestIngest, events: number) =>
  eventually(async () => {
    const { notifications, entries, erasures } = await countStored(of)
    return notifications >= events && entries >= 2 * events && erasures >= events
  })

const environmentOf = (of: TestIngest) => ({
  ...commandEnvironment(of),
  KAFKA_PRIVACY_TOPIC: of.topics.privacy,
  CDC_MAPPINGS: mappings,
})

test('a restored MongoDB is noticed until herald restored has set back all topics, and then has everything again', async () => {
  const first = await startOn()
  const environment = environmentOf(first)
  const herald = (...words: string[]) => runHere(words, environment)
  const behind = () => (ingest as TestIngest).metric('herald_restored_behind_seconds')
  const notes = (of: TestIngest) => client.db(of.database).collection<{ _id: string; notedAt: Date }>('group-notes')
  const noted = async (of: TestIngest) => (await notes(of).findOne({ _id: JSON.stringify([of.groupId]) }))?.notedAt
  const isCommitted = async () => (await herald('status', '--interval', '1', '--json')).exitCode === 0

  first.events.start()
  await publish(first, 'kept')
  await untilStored(first, 1)
  await eventually(() => noted(first))
  const backup = await copy(first)
  await publish(first, 'lost')
  await untilStored(first, 2)
  await eventually(async () => (await first.metric('herald_lag_records')) === 0)
  expect([await isCommitted(), await behind()]).toEqual([true, 0])
  await first.stop()

  // Without the command, it lacks them for ever, and says so however far it goes on.
  const second = await startOn(backup)
  const until = await noted(second)
  const { exitCode, stdout } = await herald('status', '--interval', '1')
  expect(exitCode).toBe(1)
  expect(stdout).toContain(
    `! MongoDB was restored from a backup: its last note of this group is of ${until?.toISOString()}`,
  )
  expect(stdout).toContain('run herald restored')
  const { source, time } = attributes() as { source: string; time: string }
  const event = ['--source', source, '--id', `lost-${mention}`, '--time', time]
  const where = await herald('where', '--subscriber', subscriberId, ...event)
  expect([where.exitCode, where.stdout]).toEqual([10, expect.stringContaining('MongoDB was restored from a backup')])
  second.events.start()
  await publish(second, 'new')
  await untilStored(second, 2)
  await eventually(async () => (await behind()) > 0)
  expect(await countStored(second)).toMatchObject({ notifications: 2 })
  expect([await noted(second), await isCommitted()]).toEqual([until, false])
  const running = await herald('restored')
  expect([running.exitCode, running.stderr]).toEqual([1, expect.stringContaining('Ingest is running')])
  const later = await copy(second)
  const key = await second.store.streamKeys.get()
  await second.stop()

  const third = await startOn(later)
  const restored = await herald('restored')
  expect([restored.exitCode, restored.stderr]).toEqual([0, expect.stringContaining('every client gets a reset')])
  for (const topic of [captured, third.topics.privacy]) expect(restored.stdout).toMatch(new RegExp(`${topic}: [1-9]`))
  expect((await third.store.streamKeys.get()).equals(key)).toBe(false)
  third.events.start()
  await untilStored(third, 3)
  await eventually(isCommitted)
  expect(await behind()).toBe(0)
}, 300_000)
