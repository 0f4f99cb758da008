import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { makeUuidV7 } from '@herald/contracts'
import { isFullRun } from '@herald/jest-preset/full-run'
import { createTopics, eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import type { Binary } from 'mongodb'
import { attributes, mentionData, structured } from './events/records.fixture.ts'
import { createRequest } from './http/create-request.fixture.ts'
import { createEmptyIngest, createTestIngest, type TestIngest } from './ingest.fixture.ts'

type Insert = { readonly insert?: string; readonly documents?: readonly { _id: Binary }[] }
type WriteCommand = (message: { readonly command?: Insert }, options: unknown) => Promise<void>

/** The inserts of notifications that do not end, by subscriber; they begin with the subscriber's id. */
const hung = new Map<
  string,
  { readonly begun: PromiseWithResolvers<void>; readonly ended: PromiseWithResolvers<void> }
>()
const subscriberOf = ({ documents }: Insert) => documents?.[0]?._id.toString('hex').slice(0, 32)

/** As the driver without its patch, whose writes may never end; here they do not even begin. */
const { prototype } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js').Connection
const writeCommand: WriteCommand = prototype.writeCommand
afterAll(() => {
  prototype.writeCommand = writeCommand
})
prototype.writeCommand = async function (...[message, options]: Parameters<WriteCommand>) {
  const { command } = message
  const one = command?.insert === 'notifications' ? hung.get(subscriberOf(command) ?? '') : undefined
  one?.begun.resolve()
  await one?.ended.promise
  // The driver would wait for ever.
  if (one && this.error) throw this.error
  return writeCommand.call(this, message, options)
}
prototype.writeCommand.isPatched = true

let ingest: TestIngest
beforeAll(async () => {
  ingest = await createEmptyIngest('hung-storage', { times: { limitMs: 1_000 } })
  await ingest.migrate()
  await createTopics(ingest.brokers, ingest.topics, { partitions: 1 })
  ingest.start()
})
afterAll(() => ingest?.stop())

function hangFor(subscriberId: string) {
  const one = { begun: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() }
  const key = subscriberId.replaceAll('-', '')
  hung.set(key, one)
  return {
    begun: one.begun.promise,
    end() {
      hung.delete(key)
      one.ended.resolve()
    },
  }
}

async function sendMention(subscriberId: string, topic = ingest.topics.mention): Promise<void> {
  const producer = new kafkajs.Kafka({ brokers: ingest.brokers, logLevel: kafkajs.logLevel.NOTHING }).producer()
  await producer.connect()
  const { value, headers } = structured(attributes({ id: randomUUID(), subscriberid: subscriberId }), mentionData())
  const message = { key: subscriberId, value, headers: headers as Record<string, Buffer> }
  await producer.send({ topic, messages: [message] })
  await producer.disconnect()
}

/** A request whose process died before it stored anything but its fan-out. */
async function interrupt(subscriberId: string): Promise<void> {
  const { recipientIds, metadata, ...data } = mentionData()
  const id = makeUuidV7(Date.now(), Buffer.alloc(10, 1))
  const content = { ...data, id, subscriberId, createdAt: new Date(), metadata: JSON.stringify(metadata), recipientIds }
  await ingest.store.notifications.insertNew([
    { ...content, type: 'mention', via: 'http', finishBy: new Date(0) } as never,
  ])
}

const livez = async () => {
  const answer = await ingest.admin.app.inject('/livez')
  return { status: answer.statusCode, body: answer.body }
}
const heldBytes = async () =>
  Number(/^herald_budget_held\{budget="creations"\} (\d+)/m.exec((await ingest.admin.app.inject('/metrics')).body)?.[1])

test('a chunk, a request and a step of a worker that do not end are given up, and /livez fails until they do', async () => {
  const [ofChunk, ofStep] = [randomUUID(), randomUUID()]
  expect((await livez()).status).toBe(200)
  const author = await ingest.newUser()
  const chunk = hangFor(ofChunk)
  await sendMention(ofChunk)
  await chunk.begun

  const request = hangFor(author.subscriberId)
  const answer = author.post(createRequest())
  await request.begun

  const step = hangFor(ofStep)
  // Neither this process nor the relay comes to an end.
  const interrupted = interrupt(ofStep)
  await step.begun
  expect(await answer).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    json: { code: 'storage_unavailable' },
  })
  // The driver still has its bytes.
  expect(await heldBytes()).toBeGreaterThan(0)
  for (const [{ end }, name] of [
    [chunk, `A chunk of ${ingest.topics.mention}/0`],
    [request, 'A request to create a notification'],
    [step, 'A step of the worker relay'],
  ] as const) {
    await eventually(async () => {
      expect(await livez()).toMatchObject({ status: 503, body: expect.stringContaining(`${name} has not ended since`) })
      return true
    })
    end()
  }
  await eventually(async () => (await livez()).status === 200)
  expect(await heldBytes()).toBe(0)
  // The fence refuses it if this took more than a minute.
  await Promise.allSettled([interrupted])
}, 240_000)

/** The session of a member lasts 10 s. That heartbeats go on during a chunk is also tested in `batch-runner.test.ts`. */
const longerThanSession = 12_000

async function commitAfterSession(): Promise<void> {
  const slow = await createTestIngest('slow-storage')
  try {
    await slow.migrate()
    await createTopics(slow.brokers, slow.topics, { partitions: 1 })
    slow.events.start()
    const subscriberId = randomUUID()
    const chunk = hangFor(subscriberId)
    await sendMention(subscriberId, slow.topics.mention)
    await chunk.begun
    const until = Date.now() + longerThanSession
    await eventually(() => Date.now() > until)
    chunk.end()
    await eventually(async () => (await slow.metric('herald_events_total', 'outcome="stored"')) === 1)
    expect([slow.logged('"level":"error"'), await slow.metric('herald_chunk_retries_total')]).toEqual([0, 0])
  } finally {
    await slow.stop()
  }
}

if (isFullRun) test('a chunk may take longer than a session', commitAfterSession)
