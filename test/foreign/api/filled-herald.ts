import { randomBytes, randomUUID } from 'node:crypto'
import { createSealing, startHerald } from '@herald/local-herald'
import { createTopics, eventually, startServers, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, logLevel, Partitioners } from 'kafkajs'

export type FilledHerald = Awaited<ReturnType<typeof startFilledHerald>>

type Log = (line: string) => void

/**
 * Starts Herald, with its servers if necessary, and publishes notifications and change entries, which are sealed, for two users of
 * two subscribers. Both users have the same id.
 */
export async function startFilledHerald(log: Log) {
  const servers = await startServers({ log })
  const name = `api-fuzz-${randomBytes(4).toString('hex')}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name))
  const environment = { RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' }
  const herald = await startHerald({ servers, topics, database: name, environment, sealing: createSealing(), log })
  const userId = randomUUID()
  const subscribers = { here: randomUUID(), there: randomUUID() }
  const sign = (subscriber: string) => herald.tokens.sign({ sub: userId, subscriber_id: subscriber, name: 'Ada' })
  const identities = { here: await sign(subscribers.here), there: await sign(subscribers.there) }
  const stop = async () => {
    await herald.stop()
    await servers.stop()
  }
  try {
    await publish(
      servers.kafkaBrokers,
      Object.values(subscribers).flatMap((subscriber) => [
        ...events(10, subscriber, topics.mention, 'herald.mention.created.v1', () => mention(userId)),
        ...events(10, subscriber, topics.change, 'herald.change.recorded.v1', (n) => change(userId, n)),
      ]),
    )
    for (const token of Object.values(identities)) {
      await untilFilled(`${herald.baseUrl}/`, token, 'notifications', 10)
      await untilFilled(`${herald.baseUrl}/change-entries`, token, 'changeEntries', 10)
      await untilSealed(herald.baseUrl, token)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { baseUrl: herald.baseUrl, identities, stop }
}

function events(count: number, subscriberid: string, topic: string, type: string, data: (n: number) => object) {
  return Array.from({ length: count }, (_, n) => ({
    topic,
    key: subscriberid,
    value: JSON.stringify({
      specversion: '1.0',
      id: randomUUID(),
      source: '/api-fuzz',
      type,
      subscriberid,
      time: new Date(Date.now() - n * 60_000).toISOString(),
      data: data(n),
    }),
    headers: { 'content-type': 'application/cloudevents+json' },
  }))
}

const mention = (userId: string) => ({
  actor: { id: randomUUID(), name: 'Mei', image: '' },
  actorType: 'user',
  subjectId: randomUUID(),
  subjectType: 'user',
  locationId: randomUUID(),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Mei', snippet: 'Look', entityType: 'portfolio' } },
  recipientIds: [userId],
})

const change = (userId: string, n: number) => ({
  user: { id: userId, name: 'Ada', email: 'ada@mail.example' },
  entityType: 'portfolio',
  entityId: `p-${n}`,
  entityTitle: 'Growth',
  actionType: 'update',
  changedField: 'title',
  beforeState: { n },
  afterState: [n],
})

async function publish(brokers: readonly string[], messages: readonly ReturnType<typeof events>[number][]) {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  await producer.sendBatch({
    acks: -1,
    topicMessages: messages.map(({ topic, ...message }) => ({ topic, messages: [message] })),
  })
  await producer.disconnect()
}

async function untilFilled(url: string, token: string, field: string, count: number): Promise<void> {
  await eventually(
    async () => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      const { data } = (await answer.json()) as { data?: Record<string, unknown[]> }
      return data?.[field]?.length === count
    },
    { description: `${url} lists ${count} items`, within: 60_000, every: 100 },
  )
}

async function untilSealed(baseUrl: string, token: string): Promise<void> {
  await eventually(
    async () => {
      const answer = await fetch(`${baseUrl}/change-entries/checkpoint`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return answer.ok
    },
    { description: 'the change log is sealed', within: 60_000, every: 100 },
  )
}
