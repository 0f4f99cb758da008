import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { startService, tokenSettings, topicSettings } from '@herald/local-herald'
import { createTopics, eventually, runCommand, startServers, topicsWithSuffix } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { BSON, MongoClient } from 'mongodb'
import { createBody } from '../support/create-body.ts'
import { derivedId } from '../support/derived-id.ts'
import { change, type Event, mention, receipt, retraction, structured, timesUntilNow } from '../support/events.ts'
import { dump, type RecordedAnswer, type RecordedRelease } from './recorded-release.ts'

// node src/older-release/record.ts CHECKOUT COMMIT: lets the built checkout of a release store documents and answer requests,
// and writes COMMIT.json.
const [checkout = '', release = ''] = process.argv.slice(2)
const entryPoint = (service: string, name: string) => join(checkout, 'services', service, 'dist', `${name}.js`)

const servers = await startServers()
const tokens = await createTokenIssuer()
const database = `herald-recorded-${process.pid}`
const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(`recorded-${process.pid}`))
const settings = {
  ...process.env,
  MONGODB_URI: servers.mongodbUri,
  MONGODB_DATABASE: database,
  KAFKA_BROKERS: servers.kafkaBrokers.join(','),
  KAFKA_GROUP_ID: `recorded-${process.pid}`,
  ...topicSettings(topics),
  ...tokenSettings(tokens),
}
await runCommand(process.execPath, [entryPoint('ingest', 'migrate')], { environment: settings })
const ingest = await startService('ingest', settings, { file: entryPoint('ingest', 'main') })
const query = await startService('query', settings, { file: entryPoint('query', 'main') })
const mongodb = new MongoClient(servers.mongodbUri)
const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
await producer.connect()

const subscriberId = crypto.randomUUID()
const users = [0, 1, 2].map(() => ({ id: crypto.randomUUID(), subscriberId }))
const ids = users.map(({ id }) => id)
const [first = '', second = ''] = ids
const attributes = timesUntilNow(12, 1_000).map((time) => ({ subscriberid: subscriberId, time }))
const mentions = attributes.slice(0, 8).map((each, n) => mention(n % 2 ? [first] : ids, each))
const retracted = mentions[6] as Event
const mentionEvents = [
  ...mentions,
  retraction({ subscriberid: subscriberId }, { notificationId: derivedId(retracted), recipientIds: [second] }),
]
const changes = attributes.map((each, n) => change(each, n % 3 ? { beforeState: { n }, afterState: [n, null] } : {}))
const mailed = { notificationId: derivedId(mentions[0] as Event), recipientId: first }
const unknown = { notificationId: derivedId({ ...(mentions[0] as Event), id: 'later' }), recipientId: first }
const receipts = [mailed, unknown].map((data) => receipt('herald.email.sent.v1', { subscriberid: subscriberId }, data))

async function request(user: number, method: string, url: string, body?: object): Promise<string> {
  const { id } = users[user] as (typeof users)[number]
  const token = await tokens.sign({ sub: id, subscriber_id: subscriberId, name: 'Ada' })
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
  const answer = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status}`)
  return answer.text()
}

const publish = (topic: string, events: readonly Event[]) => producer.send({ topic, messages: events.map(structured) })
const count = (name: string, filter = {}) => mongodb.db(database).collection(name).countDocuments(filter)

await publish(topics.mention, mentions)
await publish(topics.change, changes)
await eventually(async () => (await count('notifications')) === 16 && (await count('change-entries')) === 12)
await publish(topics.mention, mentionEvents.slice(-1))
await publish(topics.receipt, receipts)
await eventually(async () => (await count('notifications')) === 15 && (await count('waiting-receipts')) === 1)
const created = JSON.parse(await request(0, 'POST', `${ingest.url}/`, createBody([second]))).data.id as string
await request(0, 'PATCH', `${query.url}/notifications/${derivedId(mentions[1] as Event)}/read`)
await request(2, 'POST', `${query.url}/notifications/read`, { all: true })

const paths = ['/', '/?limit=3', '/?status=unread', '/notifications/unread-count']
const asked: [number, string][] = [
  ...users.flatMap((_, user) => paths.map((path): [number, string] => [user, path])),
  [0, '/change-entries?entityId=portfolio-1'],
  [0, '/change-entries/all'],
]
const answers: RecordedAnswer[] = []
for (const [user, path] of asked) answers.push({ user, path, body: await request(user, 'GET', query.url + path) })

await ingest.stop()
await query.stop()
await producer.disconnect()
const recorded: RecordedRelease = {
  release,
  users,
  events: { mention: mentionEvents, change: changes, receipt: receipts },
  created,
  answers,
  collections: await dump(mongodb.db(database)),
}
writeFileSync(
  new URL(`${release}.json`, import.meta.url),
  `${BSON.EJSON.stringify(recorded, undefined, 1, { relaxed: false })}\n`,
)
await mongodb.db(database).dropDatabase()
await mongodb.close()
await servers.stop()
