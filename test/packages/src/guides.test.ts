import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { defaultTopics } from '@herald/local-stack'
import { createEvents, createPublisher, toMessage } from '@herald/publisher'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import { runGuideOutside } from './guide.ts'
import { startTestHerald, type TestHerald, until } from './herald.ts'
import { type Packed, packPackages, workspaceFolder } from './packed.ts'

const events = createEvents({ source: '/guides' })
const user = { sub: randomUUID(), subscriber_id: randomUUID() }
const identity = () => ({ id: randomUUID(), time: new Date(), subscriberId: user.subscriber_id })

let packed: Packed
let herald: TestHerald
let producer: Producer
let TOKEN: string

beforeAll(async () => {
  packed = await packPackages()
  herald = await startTestHerald('guides')
  TOKEN = await herald.tokens.sign(user)
  const kafka = new Kafka({ brokers: [...herald.brokers], logLevel: logLevel.NOTHING })
  producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
}, 240_000)
afterAll(async () => {
  await producer?.disconnect()
  await herald?.stop()
  await packed?.remove()
})

/** What the settings of a service are where the guide says so. */
const settings = () => ({
  ...{ KAFKA_BROKERS: herald.brokers.join(), MONGODB_URI: herald.mongodbUri, MONGODB_DATABASE: herald.database },
  ...{ KAFKA_MENTION_TOPIC: herald.topics.mention, KAFKA_CHANGE_TOPIC: herald.topics.change },
  ...{ KAFKA_RECEIPT_TOPIC: herald.topics.receipt, KAFKA_DEAD_LETTER_TOPIC: herald.topics.deadLetter },
  ...{ AUTH_PUBLIC_KEY: herald.tokens.publicKeyPem, AUTH_ISSUER: herald.tokens.issuer },
  ...{ AUTH_AUDIENCE: herald.tokens.audience, KAFKA_GROUP_ID: herald.database },
})

async function expectAsSaid(path: string, variables: Record<string, string>): Promise<void> {
  const steps = await runGuideOutside(path, packed, variables)
  expect(steps.length).toBeGreaterThan(0)
  for (const { printed, said } of steps) if (said !== undefined) expect(printed).toContain(said)
}

const get = async (path: string) => {
  const answer = await fetch(`${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
  return ((await answer.json()) as { data: never }).data
}

const mention = () =>
  events.mentionCreated(identity(), {
    actor: { id: randomUUID(), name: 'Ada', image: '' },
    actorType: 'user',
    subjectId: user.sub,
    subjectType: 'user',
    locationId: randomUUID(),
    locationType: 'comment',
    metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' } },
    recipientIds: [user.sub],
  })

test('publish your first event', async () => {
  const usual = await startTestHerald('first-event', {}, defaultTopics)
  try {
    const variables = { KAFKA_BROKERS: usual.brokers.join(), BASE: usual.baseUrl, USER_ID: user.sub }
    await expectAsSaid('packages/publisher/guides/publish-your-first-event.md', {
      ...{ ...variables, SUBSCRIBER_ID: user.subscriber_id, TOKEN: await usual.tokens.sign(user) },
    })
  } finally {
    await usual.stop()
  }
})

test('export the change log', async () => {
  const change = (entityType: string) =>
    events.changeRecorded(identity(), {
      ...{ user: { id: randomUUID(), name: 'Ada', email: 'ada@example.com' }, entityType, entityId: 'p-1' },
      ...{ entityTitle: 'Growth', actionType: 'update', changedField: 'name', beforeState: 'a', afterState: 'b' },
    })
  const { publish } = createPublisher({ producer, topics: herald.topics })
  await publish(change('portfolio'), change('portfolio'), change('file'))
  await until(
    () => get('/change-entries/all') as Promise<unknown[]>,
    (log) => log.length === 3,
  )
  await expectAsSaid('packages/client/guides/export-the-change-log.md', { BASE: herald.baseUrl, TOKEN })
})

test('bring your own identity provider', async () => {
  const ports = { ISSUER_PORT: await freePort(), QUERY_PORT: await freePort(), ADMIN_PORT: await freePort() }
  const { MONGODB_URI, MONGODB_DATABASE } = settings()
  const variables = { ...ports, MONGODB_URI, MONGODB_DATABASE }
  await expectAsSaid('packages/runtime/guides/bring-your-own-identity-provider.md', variables)
})

test('replay a topic', async () => {
  await createPublisher({ producer, topics: herald.topics }).publish(mention(), mention(), mention())
  await until(
    () => get('/') as Promise<{ notifications: unknown[] }>,
    ({ notifications }) => notifications.length === 3,
  )
  await expectAsSaid('services/ingest/guides/replay-a-topic.md', {
    ...{ ...settings(), BASE: herald.baseUrl, TOKEN },
    ...{ REPLAY_PORT: await freePort(), REPLAY_ADMIN_PORT: await freePort() },
  })
})

test('heal dead letters', async () => {
  const { value, ...rest } = toMessage(mention())
  const broken = { ...rest, value: value.replace(/"recipientIds":\[[^\]]*\]/, '"recipientIds":[]') }
  await producer.send({ topic: herald.topics.mention, messages: [{ ...broken, headers: { ...rest.headers } }] })
  const counter = `${herald.ingest.adminUrl}/metrics`
  await until(
    async () => (await fetch(counter)).text(),
    (metrics) => metrics.includes('herald_dead_letters_total{'),
  )
  await expectAsSaid('services/ingest/guides/heal-dead-letters.md', settings())
})

test('the README leads to every guide, and every guide is run by a test', async () => {
  const filesIn = async (place: string, name: RegExp) => {
    const files = await readdir(join(workspaceFolder, place), { recursive: true })
    return files.filter((file) => name.test(file)).map((file) => `${place}/${file}`)
  }
  const isGuide = /^([^/]+\/)?guides\/[^/]+\.md$/
  const guides = (await Promise.all(['packages', 'services', 'deploy'].map((place) => filesIn(place, isGuide)))).flat()
  expect(guides.length).toBeGreaterThanOrEqual(7)
  const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8')
  const tests = (await filesIn('test', /^[^/]+\/src\/[^/]+\.test\.ts$/)).map(read).join('\n')
  for (const path of guides) {
    expect(read('README.md')).toContain(`](${path})`)
    expect([path, tests.includes(path)]).toEqual([path, true])
  }
})

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return String(typeof address === 'object' ? address?.port : '')
}
