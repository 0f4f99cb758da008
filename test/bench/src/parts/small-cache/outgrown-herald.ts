import { randomUUID } from 'node:crypto'
import { startService } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import type { Db } from 'mongodb'
import { startIngest } from '../../ingest/contestant.ts'
import { partitions } from '../../ingest/drain.ts'
import { mentionOf, uuidOf } from '../../ingest/events.ts'
import { fillTopic } from '../../ingest/fill-topic.ts'
import { type Drain, watchDrain } from '../../ingest/measure-drain.ts'
import { counted } from '../../layout/outgrown-round.ts'
import { randomIntegers, timeEach } from '../../measure.ts'
import type { BenchContext } from '../../part.ts'
import { serviceSettings } from '../../settings.ts'

const recipientsEach = 1_000
const recipientsPerEvent = 3
const limitMs = 3_600_000

export type Scale = {
  readonly events: number
  readonly perRound: number
  readonly subscribers: number
  readonly cacheMib: number
}

export type Round = {
  readonly drain: Drain
  readonly blocksRead: number
  readonly blocksWritten: number
  readonly blocksPerPage: number
  readonly pageMs: number
}

/** Stores and reads notifications of random recipients through the services. */
export async function createOutgrownHerald(
  { servers, log, smoke }: BenchContext,
  scale: Scale,
  mongodbUri: string,
  database: Db,
) {
  const { kafkaBrokers: brokers } = servers
  const suffix = randomUUID()
  const topics = await createTopics(brokers, topicsWithSuffix(suffix), { partitions })
  const tokens = await createTokenIssuer()
  const notifications = database.collection('notifications')
  const below = randomIntegers(1)
  const subscriberId = (index: number) => uuidOf(`subscriber ${index}`)
  const recipientId = (subscriber: number, index: number) => uuidOf(`recipient ${subscriber}.${index}`)
  const pages = smoke ? 20 : 500
  let published = 0

  const publish = async (events: number) => {
    const first = published
    published += events
    await fillTopic(brokers, topics.mention, events, (index) => {
      const [subscriber, recipient] = [below(scale.subscribers), below(recipientsEach)]
      const recipientIds = Array.from({ length: recipientsPerEvent }, (_, i) =>
        recipientId(subscriber, (recipient + i * 331) % recipientsEach),
      )
      return mentionOf(first + index, subscriberId(subscriber), recipientIds)
    })
  }

  /** Publishes events, then starts ingest, and waits until they are stored. */
  const store = async (events: number, mongod: number): Promise<Drain> => {
    const before = await notifications.estimatedDocumentCount()
    await publish(events)
    log(`${events} mentions of ${recipientsPerEvent} recipients published`)
    const ingest = await startIngest({ brokers, mongodbUri, database, topics, topic: 'mention', groupId: suffix })
    try {
      const count = async () => (await notifications.estimatedDocumentCount()) - before
      return await watchDrain(count, events * recipientsPerEvent, { service: ingest.pids, mongod }, { limitMs })
    } finally {
      await ingest.stop()
    }
  }

  const readPages = async () => {
    const settings = serviceSettings({ mongodbUri, database: database.databaseName, tokens, kafkaBrokers: brokers })
    const query = await startService('query', settings)
    try {
      const page = async () => {
        const subscriber = below(scale.subscribers)
        const [sub, subscriber_id] = [recipientId(subscriber, below(recipientsEach)), subscriberId(subscriber)]
        const authorization = `Bearer ${await tokens.sign({ sub, subscriber_id })}`
        const response = await fetch(query.url, { headers: { authorization } })
        await response.text()
        if (!response.ok) throw new Error(`A page returned ${response.status}`)
      }
      return await counted(database, () => timeEach(pages, 1, page))
    } finally {
      await query.stop()
    }
  }

  const measure = async (mongod: number): Promise<Round> => {
    const stored = await counted(database, () => store(scale.perRound, mongod))
    const cold = await readPages()
    const documents = scale.perRound * recipientsPerEvent
    return {
      drain: stored.result,
      blocksRead: stored.used.blocksRead / documents,
      blocksWritten: stored.used.blocksWritten / documents,
      blocksPerPage: cold.used.blocksRead / pages,
      pageMs: cold.result.p50,
    }
  }
  return { store, measure }
}
