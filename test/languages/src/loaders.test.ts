import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createSealing, type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, eventually, fetchPythonPackages, topicsWithSuffix, whyNoPip } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { findOptions, orFail, ownFile, run } from './toolchain.ts'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
const database = `loaders-${randomUUID().slice(0, 8)}`
const folder = mkdtempSync(join(tmpdir(), 'herald-loaders-'))
/** Pages of a hundred, of which the last is not full. */
const count = 250
const whyNot = orFail('python3', await whyNoPip(process.env))

const onPython = whyNot === undefined ? describe : describe.skip
onPython('a loader that is set up as in the guide', () => {
  let herald: StartedHerald
  let python: string
  let packages: string
  const subscriberId = randomUUID()

  beforeAll(async () => {
    const fetched = await fetchPythonPackages('loaders', ownFile('requirements-loaders.txt'), findOptions)
    ;({ python, folder: packages } = fetched)
    const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
    // The recorded order is made by the process that seals.
    const sealing = createSealing()
    herald = await startHerald({ servers, topics, database, environment: { KAFKA_GROUP_ID: database }, sealing })
    await publish(topics.change, subscriberId, count)
    await publish(topics.change, randomUUID(), 30)
  }, 600_000)
  afterAll(async () => {
    await herald?.stop()
    const client = await MongoClient.connect(MONGODB_URI)
    await client.db(database).dropDatabase()
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(['with_dlt.py', 'with_singer.py', 'with_airbyte.py'])(
    'copies each change entry of its subscriber once, and ends: %s',
    async (program) => {
      const token = await herald.tokens.sign({ subscriber_id: subscriberId, scope: 'change-entries:read' })
      const get = async (path: string) => {
        const answer = await fetch(herald.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
        return ((await answer.json()) as { data: { changeEntries: { id: string }[]; hasMore: boolean } }).data
      }
      await eventually(async () => {
        const { changeEntries } = await get('/change-entries?order=recorded&limit=100')
        return changeEntries.length === 100 && (await whole(get)).length === count
      })
      const environment = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1', HOME: folder }
      const output = await run(python, [ownFile('loaders', program), herald.baseUrl, token], folder, environment)
      const loaded = Array.from(output.matchAll(/^entry (\S+)$/gm), ([, id]) => id)
      expect(loaded.toSorted()).toEqual((await whole(get)).map(({ id }) => id).toSorted())
    },
    300_000,
  )
})

async function whole(get: (path: string) => Promise<{ changeEntries: { id: string }[] }>) {
  const { changeEntries } = await get('/change-entries/all')
  return changeEntries
}

async function publish(topic: string, subscriberId: string, entries: number): Promise<void> {
  const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const messages = Array.from({ length: entries }, (_, n) => ({
    key: subscriberId,
    headers: { 'content-type': 'application/cloudevents+json' },
    value: JSON.stringify({
      ...{ specversion: '1.0', type: 'herald.change.recorded.v1', source: '/loaders', id: `${n}`, time: new Date() },
      subscriberid: subscriberId,
      data: {
        ...{ user: { id: randomUUID(), name: 'Ada', email: '' }, entityType: 'report', entityId: `r-${n}` },
        ...{ entityTitle: 'Q3', actionType: 'update', changedField: 'value', beforeState: n, afterState: n + 1 },
      },
    }),
  }))
  await producer.send({ topic, acks: -1, messages })
  await producer.disconnect()
}
