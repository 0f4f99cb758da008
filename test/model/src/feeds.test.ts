import { randomBytes, randomUUID } from 'node:crypto'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createClient } from './client.ts'
import { createFeedModel, type ListedNotification } from './feed-model.ts'
import { expectEqual, operation, type World } from './operations.ts'

const runs = Number(process.env.HERALD_MODEL_RUNS ?? 30)
const operationsPerRun = 200

let herald: StartedHerald
let done = 0

beforeAll(async () => {
  const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const name = `model-${randomBytes(4).toString('hex')}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name))
  const environment = { RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' }
  herald = await startHerald({ servers, database: name, topics, environment })
}, 120_000)
afterAll(() => herald?.stop())

/** Two users of one subscriber, and a user of another subscriber with the id of the first. */
async function createWorld(): Promise<World> {
  const [first, second, subscriber, otherSubscriber] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const recipients = [
    { subscriberId: subscriber, userId: first },
    { subscriberId: subscriber, userId: second },
    { subscriberId: otherSubscriber, userId: first },
  ]
  const clients = recipients.map(async (recipient) => {
    const claims = { sub: recipient.userId, subscriber_id: recipient.subscriberId, name: 'Ada', picture: '' }
    return createClient(herald.baseUrl, await herald.tokens.sign(claims), recipient)
  })
  return { clients: await Promise.all(clients), model: createFeedModel(), ids: [] }
}

/** Compares the feed and the unread count of every client with the model. */
async function expectAllEqual({ clients, model }: World): Promise<void> {
  await Promise.all(
    clients.map(async (client) => {
      const [list, count] = await Promise.all([
        client.send('GET', '/?limit=100'),
        client.send('GET', '/notifications/unread-count'),
      ])
      expectEqual(
        model,
        model.list(client).slice(0, 100),
        (list.body.data as { notifications: ListedNotification[] }).notifications,
      )
      expect(count.body.data).toEqual({ unreadCount: model.unreadCount(client) })
    }),
  )
}

test(`every feed and unread count equals the model after each of ${runs * operationsPerRun} random operations`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: operationsPerRun, maxLength: operationsPerRun, size: 'max' }),
      async (operations) => {
        const world = await createWorld()
        for (const operate of operations) {
          await operate(world)
          await expectAllEqual(world)
          done++
        }
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
  expect(done).toBeGreaterThanOrEqual(runs * operationsPerRun)
}, 600_000)
