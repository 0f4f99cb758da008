import { Kafka, logLevel, type SASLOptions } from 'kafkajs'
import { Binary, MongoClient } from 'mongodb'
import { now } from '../clock.ts'
import { mentionNow } from '../ingest/events.ts'
import { load } from '../query/http-load.ts'
import type { User } from '../query/population.ts'
import { createStreamReaders } from '../query/stream-readers.ts'
import { checkFeeds } from './check-feeds.ts'
import { createLatencies } from './latencies.ts'
import { openLoop } from './open-loop.ts'
import type { Target } from './settings.ts'
import { createUsers } from './users.ts'

const streamWaitMs = 10_000

/**
 * Loads an existing Herald with mentions and pages of a throw-away subscriber, in an open loop, and checks that every
 * recipient has every mention exactly once. Latencies are in milliseconds from the intended time of sending.
 */
export async function runTarget(target: Target, log: (line: string) => void) {
  const { queryUrl, load: options } = target
  const users = await createUsers(target)
  const subscriberId = users[0]?.subscriberId ?? ''
  log(`${users.length} users of the throw-away subscriber ${subscriberId}`)
  // Excludes the verification of each user's token at its first request.
  const first = users.map(({ token }) => ({ path: '/notifications/unread-count', token }))
  await load({ baseUrl: queryUrl, requests: first, once: true, seconds: 0 })
  const sent = await sendLoad(target, users, log)
  try {
    const feeds = await checkFeeds(queryUrl, users, sent.expected)
    const { latencies, errors } = sent
    return { date: new Date().toISOString(), load: options, latencies, errors, feeds }
  } finally {
    if (target.mongodb) await removeDocuments(target.mongodb, subscriberId)
  }
}

async function sendLoad({ kafka, mentionTopic, queryUrl, load }: Target, users: readonly User[], log: LogLine) {
  const latencies = { streamed: createLatencies(), page: createLatencies() }
  const errors = { produce: 0, page: 0 }
  const intended: number[] = []
  const expected = users.map(() => 0)
  const streams = createStreamReaders((sequence) => {
    latencies.streamed.record(now() - (intended[sequence] ?? Number.NaN))
  })
  const listening = users.slice(0, load.streams)
  const producer = new Kafka({ ...connectionOf(kafka), logLevel: logLevel.ERROR }).producer({ idempotent: true })
  await producer.connect()
  try {
    await streams.open(
      queryUrl,
      listening.map(({ token }) => token),
    )
    log(`${listening.length} streams are open; ${load.seconds} s of load`)
    const pending: Promise<unknown>[] = []
    let streamedExpected = 0
    const events = openLoop({ perSecond: load.eventsPerSecond, seconds: load.seconds }, (operations) => {
      const messages = operations.map(({ sequence, intendedAt }) => {
        intended[sequence] = intendedAt
        const named = recipientsOf(sequence, users.length, load.recipients)
        for (const index of named) expected[index] = (expected[index] ?? 0) + 1
        streamedExpected += named.filter((index) => index < listening.length).length
        const [author] = users as [User]
        return mentionNow(
          sequence,
          author.subscriberId,
          named.map((index) => (users[index] as User).userId),
        )
      })
      pending.push(
        producer.send({ topic: mentionTopic, acks: -1, messages }).catch(() => {
          errors.produce += messages.length
        }),
      )
    })
    const pages = openLoop({ perSecond: load.pagesPerSecond, seconds: load.seconds }, (operations) => {
      for (const { sequence, intendedAt } of operations) {
        pending.push(
          readPage(queryUrl, users[(sequence * 7_919) % users.length] as User).then(
            () => latencies.page.record(now() - intendedAt),
            () => {
              errors.page++
            },
          ),
        )
      }
    })
    await Promise.all([events, pages])
    await Promise.all(pending)
    const deadline = performance.now() + streamWaitMs
    while (latencies.streamed.summary().count < streamedExpected && performance.now() < deadline) await tick()
    const missing = streamedExpected - latencies.streamed.summary().count
    return {
      expected,
      errors: { ...errors, notStreamed: missing },
      latencies: { producedToStream: latencies.streamed.summary(), page: latencies.page.summary() },
    }
  } finally {
    streams.close()
    await producer.disconnect()
  }
}

type LogLine = (line: string) => void

const tick = () => new Promise((resolve) => setTimeout(resolve, 20))

/** Different users for each event, in turn. */
const recipientsOf = (sequence: number, users: number, count: number) =>
  Array.from({ length: Math.min(count, users) }, (_, i) => (sequence * count + i) % users)

function connectionOf({ brokers, ssl, sasl }: Target['kafka']) {
  return { brokers, ssl, ...(sasl && { sasl: sasl as SASLOptions }) }
}

async function readPage(queryUrl: string, { token }: User): Promise<void> {
  const response = await fetch(`${queryUrl}/`, { headers: { authorization: `Bearer ${token}` } })
  await response.text()
  if (!response.ok) throw new Error(`A page returned ${response.status}`)
}

/** Deletes the notifications of the subscriber, whose keys begin with its id. */
async function removeDocuments({ uri, database }: NonNullable<Target['mongodb']>, subscriberId: string) {
  const client = new MongoClient(uri)
  try {
    const id = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
    const range = { $gte: new Binary(id), $lte: new Binary(Buffer.concat([id, Buffer.alloc(32, 255)])) }
    await client.db(database).collection<{ _id: Binary }>('notifications').deleteMany({ _id: range })
  } finally {
    await client.close()
  }
}
