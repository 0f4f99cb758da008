import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import { derivedId } from '../support/derived-id.ts'
import { type Event, mention, retraction, structured } from '../support/events.ts'
import { findServers, uniqueName } from '../support/herald.ts'
import { readRecordedRelease, restore } from './recorded-release.ts'

const recorded = readRecordedRelease()
const [first, second] = recorded.users as [(typeof recorded.users)[number], (typeof recorded.users)[number]]
const servers = findServers()
const name = uniqueName('older-release')
const mongodb = new MongoClient(servers.mongodbUri)
const database: Db = mongodb.db(name)
const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
let herald: StartedHerald

// The tests continue each other: first everything is as that release left it, then it changes.
beforeAll(async () => {
  await restore(database, recorded.collections)
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name))
  herald = await startHerald({ servers, database: name, topics, environment: { KAFKA_GROUP_ID: name } })
  await producer.connect()
})
afterAll(async () => {
  await producer.disconnect()
  await herald?.stop()
  await database.dropDatabase()
  await mongodb.close()
})

async function request(user: number, method: string, path: string) {
  const { id, subscriberId } = recorded.users[user] as typeof first
  const token = await herald.tokens.sign({ sub: id, subscriber_id: subscriberId, name: 'Ada' })
  const answer = await fetch(herald.baseUrl + path, { method, headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: await answer.text() }
}

const idsOf = async (user: number): Promise<string[]> =>
  JSON.parse((await request(user, 'GET', '/?limit=100')).body).data.notifications.map(({ id }: { id: string }) => id)

const publish = (topic: string, events: readonly Event[]) => producer.send({ topic, messages: events.map(structured) })

test.each(recorded.answers.map(({ user, path, body }): [string, number, string] => [path, user, body]))(
  'answers %s of user %d as that release did',
  async (path, user, body) => {
    expect(JSON.parse((await request(user, 'GET', path)).body)).toEqual(JSON.parse(body))
  },
)

test('a replay of its events stores nothing twice', async () => {
  const before = [await idsOf(0), await idsOf(1), await idsOf(2)]
  const count = (collection: string) => database.collection(collection).countDocuments()
  const stored = { notifications: await count('notifications'), entries: await count('change-entries') }
  for (const kind of ['mention', 'change', 'receipt'] as const)
    await publish(herald.topics[kind], recorded.events[kind])
  // One more, which shows that all before it were handled; it also settles the receipt that has waited since then.
  const { subscriberId } = first
  const source = recorded.events.mention[0] as Event
  const later = { ...source, id: 'later' }
  await publish(herald.topics.mention, [later])
  await eventually(async () => (await idsOf(0)).includes(derivedId(later)))
  expect(subscriberId).toBe(later.subscriberid)
  expect(
    [await idsOf(0), await idsOf(1), await idsOf(2)].map((ids) => ids.filter((id) => id !== derivedId(later))),
  ).toEqual(before)
  expect(await count('change-entries')).toBe(stored.entries)
  expect(await count('notifications')).toBe(stored.notifications + (later.data.recipientIds as string[]).length)
  const settled = await eventually(async () => {
    const { body } = await request(0, 'GET', `/notifications/${derivedId(later)}`)
    return JSON.parse(body).data.emailSentAt ?? undefined
  })
  expect(settled).toEqual(expect.any(String))
})

test('its notifications can be marked as read and unread', async () => {
  const [id = ''] = await idsOf(1)
  expect(JSON.parse((await request(1, 'PATCH', `/notifications/${id}/read`)).body).data.readAt).not.toBeNull()
  expect(JSON.parse((await request(1, 'PATCH', `/notifications/${id}/unread`)).body).data.readAt).toBeNull()
})

test('its notifications can be retracted, over HTTP and by location', async () => {
  expect((await request(1, 'DELETE', `/notifications/${recorded.created}`)).status).toBe(404)
  expect((await request(0, 'DELETE', `/notifications/${recorded.created}`)).status).toBe(204)
  expect(await idsOf(1)).not.toContain(recorded.created)

  const taken = recorded.events.mention[2] as Event
  expect(await idsOf(0)).toContain(derivedId(taken))
  const { locationType, locationId } = taken.data
  await publish(herald.topics.mention, [retraction({ subscriberid: first.subscriberId }, { locationType, locationId })])
  await eventually(async () => !(await idsOf(0)).includes(derivedId(taken)))
  expect(await idsOf(1)).not.toContain(derivedId(taken))
  // A replay after the retraction brings nothing back.
  const last = mention([second.id], { subscriberid: first.subscriberId })
  await publish(herald.topics.mention, [taken, last])
  await eventually(async () => (await idsOf(1)).includes(derivedId(last)))
  expect(await idsOf(0)).not.toContain(derivedId(taken))
})
