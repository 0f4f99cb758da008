import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createSealing, type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { generators } from './generators.ts'
import { run } from './toolchain.ts'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
const database = `generated-${randomUUID().slice(0, 8)}`
const folder = mkdtempSync(join(tmpdir(), 'herald-generated-clients-'))
const [subscriberId, location] = [randomUUID(), randomUUID()]
const documents = ['openapi.json', 'openapi-3.0.json'] as const

const cases = generators.flatMap((generator) =>
  documents.map((document) => ({ ...generator, document, userId: randomUUID() })),
)
const reasons = new Map(await Promise.all(generators.map(async ({ name, whyNot }) => [name, await whyNot()] as const)))
let herald: StartedHerald

beforeAll(async () => {
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
  const environment = { KAFKA_GROUP_ID: database, RATE_LIMIT_PER_MINUTE: '100000' }
  herald = await startHerald({ servers, topics, database, environment, sealing: createSealing() })
  for (const name of documents)
    writeFileSync(join(folder, name), await (await fetch(`${herald.baseUrl}/${name}`)).text())
  for (const snippet of ['First', 'Second', 'Third']) await createNotification(snippet)
  await publishChanges(topics.change)
  const token = await herald.tokens.sign({ subscriber_id: subscriberId, scope: 'change-entries:read' })
  const headers = { authorization: `Bearer ${token}` }
  await eventually(
    async () =>
      (await (await fetch(`${herald.baseUrl}/change-entries/checkpoint`, { headers })).text()).includes('\n2\n'),
    { description: 'both entries are sealed', within: 60_000 },
  )
}, 180_000)

afterAll(async () => {
  await herald?.stop()
  rmSync(folder, { recursive: true, force: true })
  const client = await MongoClient.connect(MONGODB_URI)
  await client.db(database).dropDatabase()
  await client.close()
})

/** For the users of all cases, each of whom marks it. */
async function createNotification(snippet: string): Promise<void> {
  const token = await herald.tokens.sign({ subscriber_id: subscriberId, scope: 'notifications:create' })
  const answer = await fetch(herald.baseUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ type: 'mention', actorType: 'user', subjectId: randomUUID(), subjectType: 'user' },
      ...{ locationId: location, locationType: 'comment', recipientIds: cases.map(({ userId }) => userId) },
      metadata: { mention: { mentionerName: 'Ada', snippet, entityType: 'fund' }, add: { n: [1] } },
    }),
  })
  expect(answer.status).toBe(201)
}

async function publishChanges(topic: string): Promise<void> {
  const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const messages = [1, 2].map((n) => ({
    key: subscriberId,
    headers: { 'content-type': 'application/cloudevents+json' },
    value: JSON.stringify({
      ...{ specversion: '1.0', type: 'herald.change.recorded.v1', source: '/generated', id: `${n}`, time: new Date() },
      subscriberid: subscriberId,
      data: {
        ...{ user: { id: randomUUID(), name: 'Ada', email: '' }, entityId: 'r-1', entityTitle: 'Q3' },
        ...{
          entityType: 'report',
          actionType: 'update',
          changedField: 'value',
          beforeState: { n },
          afterState: n + 0.5,
        },
      },
    }),
  }))
  await producer.send({ topic, acks: -1, messages })
  await producer.disconnect()
}

describe.each(cases)('$name, from $document', ({ name, document, userId, build }) => {
  const why = reasons.get(name)
  if (why !== undefined) console.warn(`Skipped ${name}: ${why}.`)
  const testHere = why === undefined ? test : test.skip

  testHere(
    'its client lists, marks, groups, mutes, and reads the change log and its checkpoint',
    async () => {
      const own = join(folder, `${name} ${document}`.replaceAll(/\W+/g, '-'))
      mkdirSync(own)
      const { command, args, environment } = await build(join(folder, document), own)
      const scope = 'change-entries:read'
      const token = await herald.tokens.sign({ sub: userId, subscriber_id: subscriberId, scope })
      const output = await run(command, [...args, herald.baseUrl, token, location], own, environment)
      expect(JSON.parse(output.slice(output.indexOf('{')))).toEqual({
        listed: ['Third', 'Second', 'First'],
        marked: [true, true],
        updated: [1, 1, 0],
        groups: [[location, 3, 0, true]],
        muted: ['location', location, null, location],
        changes: [
          ['Q3', { n: 1 }, 1.5, true],
          ['Q3', { n: 2 }, 2.5, true],
        ],
        hasMore: false,
        checkpoint: '2',
        sealed: 3,
      })
    },
    600_000,
  )
})
