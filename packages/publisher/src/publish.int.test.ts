import { randomUUID } from 'node:crypto'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import { changeEntryIdOf, notificationIdOf } from './event-ids.ts'
import { changeData, mentionData } from './events.fixture.ts'
import { createEvents } from './events.ts'
import { createPublisher } from './publisher.ts'

const events = createEvents({ source: '/publisher' })
let herald: StartedHerald
let producer: Producer

beforeAll(async () => {
  const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const unique = `publisher-${randomUUID().slice(0, 8)}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(unique))
  herald = await startHerald({ servers, topics, database: unique, environment: { KAFKA_GROUP_ID: unique } })
  const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
  producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
}, 300_000)
afterAll(async () => {
  await producer?.disconnect()
  await herald?.stop()
})

type Feed = { data: { notifications: { id: string; readAt: string | null; emailSentAt: string | null }[] } }

test.each(['structured', 'binary'] as const)(
  'events published twice in %s mode are stored once, with their receipts',
  async (mode) => {
    const [userId, subscriberId] = [randomUUID(), randomUUID()]
    const token = await herald.tokens.sign({ sub: userId, subscriber_id: subscriberId })
    const get = async (path: string) =>
      (await fetch(`${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })).json()
    const identity = { time: new Date(), subscriberId }

    const mention = events.mentionCreated({ ...identity, id: 'm-1' }, mentionData([userId]))
    const change = events.changeRecorded({ ...identity, id: 'c-1' }, changeData())
    const receipt = { notificationId: notificationIdOf(mention), recipientId: userId }
    const mailed = events.emailSent({ ...identity, id: 'r-1' }, receipt)
    const read = events.notificationRead({ ...identity, id: 'r-2' }, receipt)

    const { publish } = createPublisher({ producer, topics: herald.topics, mode })
    await publish(mention, change, mailed, read)
    await publish(mention, change, mailed, read)

    const { notifications } = await until(
      async () => ((await get('/')) as Feed).data,
      (feed) => feed.notifications.some((one) => one.readAt !== null && one.emailSentAt !== null),
    )
    expect(notifications.map(({ id }) => id)).toEqual([notificationIdOf(mention)])
    const { data } = await until(
      () => get('/change-entries/all') as Promise<{ data: { id: string; beforeState: unknown }[] }>,
      (log) => log.data.length > 0,
    )
    expect(data).toMatchObject([{ id: changeEntryIdOf(change), beforeState: changeData().beforeState }])
  },
)

async function until<T>(look: () => Promise<T>, condition: (seen: T) => boolean): Promise<T> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const seen = await look()
    if (condition(seen)) return seen
    if (Date.now() > deadline) throw new Error(`Condition not met in time: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
