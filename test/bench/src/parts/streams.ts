import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '@herald/local-herald'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import { Kafka, logLevel, type Producer } from 'kafkajs'
import { now } from '../clock.ts'
import { cpuPerOperation, cpuSeconds } from '../cpu-time.ts'
import { mentionNow } from '../ingest/events.ts'
import { quantile } from '../measure.ts'
import { migrate } from '../migrate.ts'
import type { BenchContext, Part } from '../part.ts'
import { processUsage } from '../process-usage.ts'
import type { User } from '../query/population.ts'
import { createStreamReaders } from '../query/stream-readers.ts'
import { serviceSettings } from '../settings.ts'
import { openLoop } from '../target/open-loop.ts'

const eventsPerSecond = 200
const subscribers = 20
const kibi = 1_024

/** Many streams of one query process: the latency of their events, and the memory of a stream. */
export const streams: Part = {
  name: 'streams',
  about: `2,000 streams of one query process, and ${eventsPerSecond} events a second to them`,
  rounds: 5,
  async run(context) {
    const { servers, client, rounds, smoke, log } = context
    const database = `bench-${randomUUID()}`
    const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database), { partitions: 6 })
    const tokens = await createTokenIssuer()
    const users = await makeUsers(tokens, smoke ? 50 : 2_000)
    const settings = serviceSettings({ ...servers, database, topics, tokens, groupId: randomUUID() })
    await migrate(settings)
    const ingest = await startService('ingest', settings)
    const producer = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING }).producer()
    const measured: Round[] = []
    try {
      await producer.connect()
      for (let round = 1; round <= rounds; round++) {
        const result = await measureRound(context, { settings, producer, topic: topics.mention, users })
        measured.push(result)
        log(
          `round ${round} of ${rounds}: p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms, ` +
            `${result.kibPerStream.toFixed(1)} KiB a stream, CPU ${result.cpu.toFixed(0)} µs an event`,
        )
      }
    } finally {
      await producer.disconnect()
      await ingest.stop()
      await client.db(database).dropDatabase()
    }
    return [
      {
        what: `event produced → on a stream, p99 of ${users.length} streams`,
        unit: 'ms',
        measured: measured.map(({ p99 }) => p99),
        cpu: { service: measured.map(({ cpu }) => cpu) },
        goal: { atMost: 100 },
      },
      {
        what: `memory of query per stream, with ${users.length} streams`,
        unit: 'KiB',
        measured: measured.map(({ kibPerStream }) => kibPerStream),
        goal: { atMost: 60 },
      },
    ]
  },
}

type Round = { readonly p50: number; readonly p99: number; readonly kibPerStream: number; readonly cpu: number }
type Load = {
  readonly settings: NodeJS.ProcessEnv
  readonly producer: Producer
  readonly topic: string
  readonly users: readonly User[]
}

/** Opens the streams of all users in a new query process, whose memory grows by nothing else than them and their events. */
async function measureRound({ smoke }: BenchContext, { settings, producer, topic, users }: Load): Promise<Round> {
  const query = await startService('query', settings)
  const intended: number[] = []
  const latencies: number[] = []
  const readers = createStreamReaders((sequence) => {
    latencies.push(now() - (intended[sequence] ?? Number.NaN))
  })
  const publish = async (seconds: number) => {
    const first = intended.length
    const sent: Promise<unknown>[] = []
    await openLoop({ perSecond: eventsPerSecond, seconds }, (operations) => {
      const messages = operations.map(({ intendedAt }) => {
        const sequence = intended.push(intendedAt) - 1
        // In an order that visits every user, of different subscribers in turn.
        const user = users[(sequence * 7_919) % users.length] as User
        return mentionNow(sequence, user.subscriberId, [user.userId])
      })
      sent.push(producer.send({ topic, acks: -1, messages }))
    })
    await Promise.all(sent)
    await eventually(async () => latencies.length === intended.length, {
      description: `${intended.length - first} events are on streams`,
      within: 20_000,
      every: 20,
    })
  }
  try {
    await pause(smoke ? 100 : 2_000)
    const rest = await processUsage(query.pid)
    await readers.open(
      query.url,
      users.map(({ token }) => token),
    )
    // Warm-up: the first events run code that V8 has not compiled yet.
    await publish(smoke ? 0.5 : 3)
    latencies.length = 0
    intended.length = 0
    const before = await cpuSeconds({ service: query.pid })
    await publish(smoke ? 1 : 10)
    const cpu = cpuPerOperation(before, await cpuSeconds({ service: query.pid }), intended.length)
    const { memoryBytes } = await processUsage(query.pid)
    return {
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      kibPerStream: (memoryBytes - rest.memoryBytes) / users.length / kibi,
      cpu: cpu.service ?? Number.NaN,
    }
  } finally {
    readers.close()
    await query.stop()
  }
}

function makeUsers(tokens: TokenIssuer, count: number): Promise<User[]> {
  const subscriberIds = Array.from({ length: subscribers }, () => randomUUID())
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const [subscriberId, userId] = [subscriberIds[i % subscribers] as string, randomUUID()]
      return { subscriberId, userId, token: await tokens.sign({ sub: userId, subscriber_id: subscriberId }) }
    }),
  )
}
