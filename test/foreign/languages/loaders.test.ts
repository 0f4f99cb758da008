import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, eventually, fetchPythonPackages, topicsWithSuffix, whyNoPip } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { findOptions, orFail, ownFile, run } from './toolchain.ts'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
const database = `loaders-${randomUUID().slice(0, 8)}`
const folder = mkdtempSync(join(tmpdir(), 'herald-loaders-'))
/** A page with a filter looks at 10,000 entries: the last entry is not on the first one. */
const count = 10_250
const rare = { entityType: 'memo' }
const whyNot = orFail('python3', whyNoPip(process.env))
if (whyNot !== undefined) console.warn(`Skipped the loaders: ${whyNot}.`)

type Entry = { readonly id: string; readonly entityType: string }
type Page = { readonly changeEntries: readonly Entry[]; readonly hasMore: boolean; readonly nextCursor: string }

const onPython = whyNot === undefined ? describe : describe.skip
onPython('a loader that is set up as in the guide', () => {
  let herald: StartedHerald
  let python: string
  let packages: string
  let token: string
  let recorded: readonly Entry[]
  const subscriberId = randomUUID()

  async function get<Data>(path: string): Promise<Data> {
    const answer = await fetch(herald.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: Data }).data
  }

  beforeAll(async () => {
    ;({ python, folder: packages } = await fetchPythonPackages(
      'loaders',
      ownFile('requirements-loaders.txt'),
      findOptions,
    ))
    const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
    const environment = { KAFKA_GROUP_ID: database, RATE_LIMIT_PER_MINUTE: '100000' }
    herald = await startHerald({ servers, topics, database, environment })
    token = await herald.tokens.sign({ subscriber_id: subscriberId, scope: 'change-entries:read' })
    await publish(topics.change, randomUUID(), 30)
    await publish(topics.change, subscriberId, count)
    await eventually(async () => (await get<Entry[]>('/change-entries/all')).length === count, { every: 1_000 })
    recorded = await get<Entry[]>('/change-entries/all')
    // Until all is in the recorded order, `hasMore` may be false and the log still grow.
    await eventually(async () => (await countRecorded()) === count, { every: 1_000 })
  }, 600_000)
  afterAll(async () => {
    await herald?.stop()
    const client = await MongoClient.connect(MONGODB_URI)
    await client.db(database).dropDatabase()
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function countRecorded(): Promise<number> {
    let [found, cursor, hasMore] = [0, '', true]
    while (hasMore) {
      const page = await get<Page>(`/change-entries?order=recorded&limit=100${cursor}`)
      found += page.changeEntries.length
      hasMore = page.hasMore
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
    return found
  }

  test('is given a page with a filter that has not all, and is not the last one', async () => {
    const { changeEntries, hasMore } = await get<Page>(`/change-entries?order=recorded&${new URLSearchParams(rare)}`)
    expect([changeEntries.length, hasMore]).toEqual([1, true])
  })

  test.each([
    ['with_dlt.py', {}],
    ['with_dlt.py', rare],
    ['with_singer.py', {}],
    ['with_singer.py', rare],
    ['with_airbyte.py', {}],
    ['with_airbyte.py', rare],
  ])(
    'copies each change entry once, and ends: %s, filter %j',
    async (program, filters: Partial<typeof rare>) => {
      const environment = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1', HOME: folder }
      const words = [ownFile('loaders', program), herald.baseUrl, token, JSON.stringify(filters)]
      const output = await run(python, words, folder, environment)
      const loaded = Array.from(output.matchAll(/^entry (\S+)$/gm), ([, id]) => id)
      const expected = recorded.filter(({ entityType }) => entityType === (filters.entityType ?? entityType))
      expect(expected).toHaveLength(filters.entityType === undefined ? count : 2)
      expect(loaded.toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
    },
    300_000,
  )
})

/** The first and the last entry are of a memo, the others of reports. */
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
        ...{ user: { id: randomUUID(), name: 'Ada', email: '' }, entityId: `r-${n}`, entityTitle: 'Q3' },
        ...{ entityType: n === 0 || n === entries - 1 ? rare.entityType : 'report' },
        ...{ actionType: 'update', changedField: 'value', beforeState: n, afterState: n + 1 },
      },
    }),
  }))
  for (let first = 0; first < entries; first += 1_000) {
    await producer.send({ topic, acks: -1, messages: messages.slice(first, first + 1_000) })
  }
  await producer.disconnect()
}
