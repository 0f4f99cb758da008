import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, eventually, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs'
import { MongoClient } from 'mongodb'

/** The parts of an entry that tests compare. */
export type Entry = readonly [
  actionType: string,
  entityId: string,
  changedField: string,
  beforeState: unknown,
  afterState: unknown,
]

/** An entry as the service shows it. */
export type FullEntry = { readonly [field: string]: unknown; readonly createdAt: string; readonly entityId: string }

type DeadLetter = {
  readonly topic: string
  readonly code: string
  readonly detail: string
  /** Key, value and headers. */
  readonly text: string
}

export type CapturedHerald = {
  readonly brokers: string[]
  readonly herald: StartedHerald
  /** A prefix of topics that no other run uses. */
  readonly prefix: string
  /** All entries of a subscriber over HTTP, sorted. */
  entriesOf(subscriberId: string): Promise<Entry[]>
  fullEntriesOf(subscriberId: string): Promise<FullEntry[]>
  /** Waits until a subscriber has exactly these entries. */
  untilEntriesAre(subscriberId: string, expected: readonly Entry[]): Promise<void>
  /** Topic, code and detail of each dead letter. */
  deadLetters(): Promise<readonly (readonly [topic: string, code: string, detail: string])[]>
  fullDeadLetters(): Promise<readonly DeadLetter[]>
  /** Key, value and headers of each record of a topic. */
  recordsOf(topic: string): Promise<readonly string[]>
  countRecords(topic: string): Promise<number>
  /** Waits until ingest has committed all records of its topics. */
  untilCaughtUp(): Promise<void>
  stop(): Promise<void>
}

export const newPrefix = (name: string) => `${name}${randomBytes(4).toString('hex')}`

/** The settings of a mapping, in the order of the file; a string is a field of the row. */
export type Mappings = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Starts Herald with a mapping file, which is JSON here. */
export async function startCapturedHerald(prefix: string, mappings: Mappings): Promise<CapturedHerald> {
  const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
  const brokers = KAFKA_BROKERS.split(',')
  const kafka = new Kafka({ clientId: prefix, brokers, logLevel: logLevel.NOTHING })
  const folder = await mkdtemp(join(tmpdir(), 'herald-mappings-'))
  const file = join(folder, 'mappings.yaml')
  await writeFile(file, JSON.stringify({ topics: mappings }))
  const topics = topicsWithSuffix(prefix)
  const captured = Object.fromEntries(Object.keys(mappings).map((topic) => [topic, topic]))
  await createTopics(brokers, { ...topics, ...captured } as HeraldTopics, { partitions: 1 })
  const servers = { kafkaBrokers: brokers, mongodbUri: MONGODB_URI }
  const environment = { CDC_MAPPINGS: file, KAFKA_GROUP_ID: prefix, RATE_LIMIT_PER_MINUTE: '100000' }
  const herald = await startHerald({ servers, topics, database: prefix, environment })

  const fullEntriesOf = async (subscriberId: string): Promise<FullEntry[]> => {
    const token = await herald.tokens.sign({
      sub: randomUUID(),
      subscriber_id: subscriberId,
      scope: 'change-entries:read',
    })
    const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' }
    const answer = await fetch(`${herald.baseUrl}/change-entries/all`, { headers })
    if (!answer.ok) throw new Error(await answer.text())
    const lines = (await answer.text()).split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line))
  }
  const entriesOf = async (subscriberId: string): Promise<Entry[]> => {
    const found = (await fullEntriesOf(subscriberId)).map(
      ({ actionType, entityId, changedField, beforeState, afterState }) =>
        [actionType, entityId, changedField, beforeState, afterState] as Entry,
    )
    return sorted(found)
  }

  const readTopic = async (topic: string): Promise<KafkaMessage[]> => {
    const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 })
    const admin = kafka.admin()
    await Promise.all([consumer.connect(), admin.connect()])
    const ends = await admin.fetchTopicOffsets(topic)
    const count = ends.reduce((sum, { high }) => sum + Number(high), 0)
    const found: KafkaMessage[] = []
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => void found.push(message) })
    await eventually(() => found.length >= count).finally(() =>
      Promise.all([consumer.disconnect(), admin.disconnect()]),
    )
    return found
  }
  const fullDeadLetters = async (): Promise<DeadLetter[]> =>
    (await readTopic(topics.deadLetter)).map((message) => {
      const header = (name: string) => String(message.headers?.[`herald-${name}`])
      const parts = { topic: header('origin-topic'), code: header('error-code'), detail: header('error-detail') }
      return { ...parts, text: textOf(message) }
    })

  return {
    brokers,
    herald,
    prefix,
    entriesOf,
    async untilEntriesAre(subscriberId, expected) {
      const wanted = sorted(expected)
      await eventually(async () => (await entriesOf(subscriberId)).length >= wanted.length, {
        within: 60_000,
        every: 500,
        description: `${wanted.length} entries of ${subscriberId}`,
      }).catch(() => {})
      const { expect } = await import('@jest/globals')
      expect(await entriesOf(subscriberId)).toEqual(wanted)
    },
    fullEntriesOf,
    fullDeadLetters,
    async deadLetters() {
      const letters = await fullDeadLetters()
      return letters.map(({ topic, code, detail }) => [topic, code, detail] as const).sort()
    },
    async recordsOf(topic) {
      return (await readTopic(topic)).map(textOf)
    },
    async countRecords(topic) {
      const admin = kafka.admin()
      await admin.connect()
      const ends = await admin.fetchTopicOffsets(topic).finally(() => admin.disconnect())
      return ends.reduce((sum, { high }) => sum + Number(high), 0)
    },
    async untilCaughtUp() {
      const admin = kafka.admin()
      await admin.connect()
      const names = Object.keys(mappings)
      const lag = async (): Promise<number> => {
        const committed = await admin.fetchOffsets({ groupId: prefix, topics: names })
        const lags = committed.map(async ({ topic, partitions }) => {
          const ends = await admin.fetchTopicOffsets(topic)
          const high = ends.reduce((sum, end) => sum + Number(end.high), 0)
          return high - partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0)
        })
        return (await Promise.all(lags)).reduce((sum, one) => sum + one, 0)
      }
      await eventually(async () => (await lag()) === 0, { within: 120_000, every: 500 }).finally(() =>
        admin.disconnect(),
      )
    },
    async stop() {
      await herald.stop()
      await rm(folder, { recursive: true, force: true })
      const client = await MongoClient.connect(MONGODB_URI)
      await client.db(prefix).dropDatabase()
      await client.close()
      const admin = kafka.admin()
      await admin.connect()
      const ours = (await admin.listTopics()).filter((topic) => topic.includes(prefix))
      await admin.deleteTopics({ topics: ours })
      await admin.disconnect()
    },
  }
}

const textOf = ({ key, value, headers = {} }: KafkaMessage) =>
  [String(key), String(value), ...Object.entries(headers).map(([name, text]) => `${name}: ${text}`)].join('\n')

const sorted = (entries: readonly Entry[]): Entry[] =>
  [...entries].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
