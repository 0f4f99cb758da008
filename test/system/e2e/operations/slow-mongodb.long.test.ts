import { fileURLToPath } from 'node:url'
import { type ServiceName, type StartedHerald, startHerald } from '@herald/local-herald'
import { eventually, runCommand, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mention, structured } from '../support/events.ts'
import { connect, type TestHerald } from '../support/herald.ts'
import { startLateProxy } from '../support/late-proxy.ts'
import { dataOf } from '../support/notifications.ts'
import { findServers, uniqueName } from '../support/servers.ts'

// MongoDB is a region away, or its disk is busy: each of its answers is late. What is slow is not dead.
const lateMs = 400
const name = uniqueName('slow')
const { kafkaBrokers, mongodbUri } = findServers()
const topics = topicsWithSuffix(name)
const services = ['ingest', 'query', 'seal'] as const satisfies readonly ServiceName[]
const herald = fileURLToPath(new URL('../../../../services/ingest/operator/herald.mjs', import.meta.url))

let proxy: Awaited<ReturnType<typeof startLateProxy>>
let started: StartedHerald
let connected: TestHerald

beforeAll(async () => {
  proxy = await startLateProxy(mongodbUri, lateMs)
  // It resolves once all three are ready.
  started = await startHerald({
    servers: { kafkaBrokers, mongodbUri: proxy.uri },
    database: name,
    topics,
    environment: { KAFKA_GROUP_ID: name },
  })
  connected = await connect({ ...started, databaseName: name, groupId: name })
}, 300_000)

afterAll(async () => {
  await connected?.disconnect()
  await started?.stop()
  proxy?.stop()
}, 120_000)

/** The lines of a command; an error for another exit code than 0. */
const command = (...words: string[]) =>
  runCommand(process.execPath, [herald, ...words], {
    environment: {
      ...process.env,
      MONGODB_URI: proxy.uri,
      MONGODB_DATABASE: name,
      KAFKA_BROKERS: kafkaBrokers.join(','),
      KAFKA_GROUP_ID: name,
      KAFKA_MENTION_TOPIC: topics.mention,
      KAFKA_CHANGE_TOPIC: topics.change,
      KAFKA_RECEIPT_TOPIC: topics.receipt,
      KAFKA_PRIVACY_TOPIC: topics.privacy,
      KAFKA_DEAD_LETTER_TOPIC: topics.deadLetter,
    },
  })

test('all services stay ready and live, and events are stored', async () => {
  const user = await connected.newUser()
  const events = Array.from({ length: 100 }, () => mention([user.id], { subscriberid: user.subscriberId }))
  await connected.publish(topics.mention, events.map(structured))
  await eventually(
    async () => dataOf<{ unreadCount: number }>(await user.get('/notifications/unread-count')).unreadCount === 100,
    {
      within: 120_000,
    },
  )
  for (const service of services) {
    for (const path of ['livez', 'readyz']) {
      const response = await fetch(`${started[service].adminUrl}/${path}`)
      expect([service, path, response.status]).toEqual([service, path, 200])
    }
  }
}, 300_000)

test('every command of an operator ends', async () => {
  expect(await command('status')).toContain('everything is in place')
  await command('log', 'status')
  await command('migrate', '--dry-run')
  await command('migrate')
  await command('dead-letters', 'list')
}, 300_000)

test('a roll-out passes: the services end in time', async () => {
  const exits = services.map(async (service) => {
    started[service].kill('SIGTERM')
    const { code } = await started[service].exited
    return [code, started[service].logs().filter((line) => line.includes('Shutdown deadline exceeded'))]
  })
  expect(await Promise.all(exits)).toEqual(services.map(() => [0, []]))
}, 120_000)
