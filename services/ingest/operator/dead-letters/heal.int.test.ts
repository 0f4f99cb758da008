import { randomUUID } from 'node:crypto'
import { connectTestClients } from '@herald/kafka/testing'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { mentionData } from '#ingest/events/records.fixture'
import { createNewIngest, type TestIngest } from '#ingest/ingest.fixture'
import { commandEnvironment, runHere } from '../command-line/herald.fixture.ts'

const { producer } = connectTestClients()
const client = new MongoClient(process.env.MONGODB_URI ?? '')
let ingest: TestIngest

beforeAll(async () => {
  ingest = await createNewIngest('heal')
  await createTopics(ingest.brokers, ingest.topics, { partitions: 2 })
  await ingest.migrate()
  ingest.events.start()
})
afterAll(async () => {
  await ingest?.stop()
  await client.close()
})

const run = (...words: string[]) =>
  runHere(['dead-letters', ...words], {
    ...commandEnvironment(ingest),
    KAFKA_PRIVACY_TOPIC: ingest.topics.privacy,
  })
const database = () => client.db(ingest.database)
const notifications = () => database().collection('notifications')

const listed = async () => (await run('list', '--json')).stdout.split('\n').filter(Boolean)

test('replays 100 mentions rejected by MongoDB once it accepts them', async () => {
  await database().command({ collMod: 'notifications', validator: { actorName: { $ne: 'Mallory' } } })
  const [subscriberId, recipientId] = [randomUUID(), randomUUID()]
  const event = (id: string, actorName: string) => ({
    key: subscriberId,
    headers: { 'content-type': 'application/cloudevents+json', 'x-of-the-publisher': 'kept' },
    value: JSON.stringify({
      specversion: '1.0',
      id,
      source: '/heal',
      type: 'herald.mention.created.v1',
      time: '2026-01-01T00:00:00Z',
      subscriberid: subscriberId,
      data: mentionData({ actor: { id: randomUUID(), name: actorName, image: '' }, recipientIds: [recipientId] }),
    }),
  })
  const refused = Array.from({ length: 100 }, (_, n) => event(`refused-${n}`, 'Mallory'))
  const good = Array.from({ length: 100 }, (_, n) => event(`good-${n}`, 'Ada'))
  await producer.send({
    topic: ingest.topics.mention,
    messages: [...refused, ...good].toSorted(() => Math.random() - 0.5),
  })
  await eventually(async () => (await listed()).length === 100)
  await eventually(async () => (await notifications().countDocuments()) === 100)

  const [first = '{}'] = await listed()
  const { origin, code } = JSON.parse(first)
  expect(code).toBe('refused_by_storage')
  expect((await run('show', origin)).stdout).toContain('header  x-of-the-publisher: kept')
  expect((await run('replay', '--code', code, '--dry-run')).stderr).toContain('100 would be sent back')
  expect(await run('show', `${ingest.topics.mention}/0/999999`)).toMatchObject({ exitCode: 1 })

  await database().command({ collMod: 'notifications', validator: {} })
  expect((await run('replay', '--code', code)).stderr).toContain('100 sent back, 0 skipped as duplicates')
  await eventually(async () => (await notifications().countDocuments()) === 200)
  expect((await run('replay')).stderr).toContain('100 sent back')
  const stored = [`topic="${ingest.topics.mention}"`, 'outcome="stored"']
  await eventually(async () => (await ingest.metric('herald_events_total', ...stored)) === 300)
  expect(await notifications().countDocuments()).toBe(200)
  expect(await listed()).toHaveLength(100)
}, 300_000)

test('a forged letter neither changes the terminal nor reaches topics that were not named', async () => {
  const { deadLetter, privacy } = ingest.topics
  const [other] = Object.values(
    await createTopics(ingest.brokers, topicsWithSuffix(`heal-other-${process.pid}`), { partitions: 1 }),
  )
  const forged = (topic: string, offset: number) => ({
    value: '\x1b]52;c;aGk=\x07',
    headers: {
      'herald-error-code': 'invalid_data',
      'herald-error-detail': '\x1b[2J\u202Eforged',
      'herald-origin-topic': topic,
      'herald-origin-partition': '0',
      'herald-origin-offset': String(offset),
    },
  })
  const messages = [forged(String(other), 1), forged(privacy, 2), forged('\x1b[8m', 3)]
  await producer.send({ topic: deadLetter, messages })

  const shown = [await run('list', '--code', 'invalid_data'), await run('show', `${privacy}/0/2`)]
  const replayed = await run('replay', '--code', 'invalid_data')
  const all = [...shown, replayed].map(({ stdout, stderr }) => stdout + stderr).join('')
  for (const control of ['\x1b', '\x07', '\u202e']) expect(all).not.toContain(control)
  expect(all).toContain('\\u001b[2J\\u202eforged')
  expect(all).toContain('value   \\u001b]52;c;aGk=\\u0007')

  expect(replayed.stderr).toContain('0 sent back')
  expect(replayed.stderr).toContain(`1 skipped because ${other} is no topic that ingest reads`)
  expect(replayed.stderr).toContain(`1 skipped because ${privacy} repeats erasures: use --origin ${privacy}`)
  expect((await run('replay', '--origin', privacy, '--dry-run')).stderr).toContain('1 would be sent back')
}, 300_000)
