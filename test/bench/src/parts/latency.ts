import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startHerald } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, logLevel } from 'kafkajs'
import { mentionNow } from '../ingest/events.ts'
import { quantile } from '../measure.ts'
import type { Part } from '../part.ts'
import { createStreamReaders } from '../query/stream-readers.ts'

const eventsPerSecond = 500
const tickMs = 10
/** One in this many events is polled for in the list of its recipient; the rest are background load. */
const listedEvery = 10
const pollMs = 3
const timeoutMs = 10_000

type Reader = { readonly userId: string; readonly token: string }

/** The latency of an event from its producer to its recipient, by polling the list and on an open stream. */
export const latency: Part = {
  name: 'latency',
  about: `from an event’s producer to its recipient, at ${eventsPerSecond} events a second`,
  rounds: 5,
  async run({ servers, client, smoke, rounds, log }) {
    const database = `bench-${randomUUID()}`
    const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(randomUUID()), { partitions: 6 })
    const environment = { LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '1000000' }
    const herald = await startHerald({ servers, topics, database, environment })
    const producer = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING }).producer()
    const producedAt: number[] = []
    const streamed: number[] = []
    const streams = createStreamReaders((sequence) => {
      streamed.push(performance.now() - (producedAt[sequence] ?? Number.NaN))
    })
    const subscribers = Array.from({ length: 20 }, () => randomUUID())
    const readers: (Reader & { subscriberId: string })[] = []
    for (let i = 0; i < (smoke ? 20 : 500); i++) {
      const subscriberId = subscribers[i % subscribers.length] as string
      const userId = randomUUID()
      readers.push({
        subscriberId,
        userId,
        token: await herald.tokens.sign({ sub: userId, subscriber_id: subscriberId }),
      })
    }

    /** Milliseconds from production until the event is in the reader's list. */
    async function untilListed(sequence: number, { token }: Reader): Promise<number> {
      const begun = performance.now()
      for (;;) {
        const page = await fetch(`${herald.query.url}/`, { headers: { authorization: `Bearer ${token}` } })
        if ((await page.text()).includes(`"anchor-${sequence}"`)) return performance.now() - (producedAt[sequence] ?? 0)
        if (performance.now() - begun > timeoutMs) throw new Error(`Event ${sequence} was not listed`)
        await pause(pollMs)
      }
    }

    /** Publishes at the rate and returns the latencies of the polled events. */
    async function publish(from: number, count: number): Promise<number[]> {
      const polls: Promise<number>[] = []
      const begun = performance.now()
      for (let done = 0; done < count; ) {
        const due = Math.min(count, Math.floor(((performance.now() - begun) / 1_000) * eventsPerSecond))
        const messages = Array.from({ length: due - done }, (_, i) => {
          const sequence = from + done + i
          const reader = readers[sequence % readers.length] as (typeof readers)[number]
          producedAt[sequence] = performance.now()
          if (sequence % listedEvery === 0) polls.push(untilListed(sequence, reader))
          return mentionNow(sequence, reader.subscriberId, [reader.userId])
        })
        if (messages.length > 0) await producer.send({ topic: topics.mention, acks: -1, messages })
        done = due
        await pause(tickMs)
      }
      return Promise.all(polls)
    }

    const perRound = smoke ? 200 : 5_000
    const figures = { listed50: [] as number[], listed99: [] as number[], streamed99: [] as number[] }
    try {
      await producer.connect()
      await streams.open(
        herald.query.url,
        readers.map(({ token }) => token),
      )
      // Warm-up: the first events run code that V8 has not compiled yet.
      await publish(0, perRound)
      for (let round = 1; round <= rounds; round++) {
        streamed.length = 0
        const listed = await publish(round * perRound, perRound)
        const deadline = performance.now() + timeoutMs
        while (streamed.length < perRound) {
          if (performance.now() > deadline)
            throw new Error(`Only ${streamed.length} of ${perRound} events were streamed`)
          await pause(tickMs)
        }
        figures.listed50.push(quantile(listed, 0.5))
        figures.listed99.push(quantile(listed, 0.99))
        figures.streamed99.push(quantile(streamed, 0.99))
        log(
          `round ${round} of ${rounds}: listed p50 ${quantile(listed, 0.5).toFixed(1)} ms, p99 ${quantile(listed, 0.99).toFixed(1)} ms; ` +
            `on a stream p50 ${quantile(streamed, 0.5).toFixed(1)} ms, p99 ${quantile(streamed, 0.99).toFixed(1)} ms`,
        )
      }
    } finally {
      streams.close()
      await producer.disconnect()
      await herald.stop()
      await client.db(database).dropDatabase()
    }
    return [
      { what: 'event produced → listed, p50', unit: 'ms', measured: figures.listed50, goal: { atMost: 12 } },
      { what: 'event produced → listed, p99', unit: 'ms', measured: figures.listed99, goal: { atMost: 50 } },
      {
        what: `event produced → on a stream, p99 of ${readers.length} streams`,
        unit: 'ms',
        measured: figures.streamed99,
        goal: { atMost: 60 },
      },
    ]
  },
}
