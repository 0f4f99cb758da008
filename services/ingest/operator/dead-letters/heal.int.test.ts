import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type StartedHerald, startHerald, topicSettings } from '@herald/local-herald'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const name = `heal-${randomBytes(4).toString('hex')}`
const client = new MongoClient(MONGODB_URI)
const notifications = client.db(name).collection('notifications')
const kafka = new Kafka({ clientId: name, brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.NOTHING })
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })

let herald: StartedHerald

beforeAll(async () => {
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name))
  herald = await startHerald({ servers, database: name, topics })
  await producer.connect()
}, 300_000)

afterAll(async () => {
  await producer.disconnect()
  await herald?.stop()
  await client.db(name).dropDatabase()
  await client.close()
})

/** Runs the command in a process, as an operator does. */
async function run(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const command = fileURLToPath(new URL('../herald.mjs', import.meta.url))
  const environment = { ...process.env, KAFKA_BROKERS, ...topicSettings(herald.topics) }
  return promisify(execFile)(process.execPath, [command, 'dead-letters', ...words], { env: environment })
}

const listed = async () => (await run('list', '--json')).stdout.split('\n').filter(Boolean)

test('replays 100 mentions rejected by MongoDB once it accepts them', async () => {
  await client.db(name).command({ collMod: 'notifications', validator: { actorName: { $ne: 'Mallory' } } })
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
      data: {
        actor: { id: randomUUID(), name: actorName, image: '' },
        actorType: 'user',
        subjectId: randomUUID(),
        subjectType: 'user',
        locationId: randomUUID(),
        locationType: 'comment',
        metadata: { mention: { mentionerName: actorName, snippet: 'Look', entityType: 'portfolio' } },
        recipientIds: [recipientId],
      },
    }),
  })
  const refused = Array.from({ length: 100 }, (_, n) => event(`refused-${n}`, 'Mallory'))
  const good = Array.from({ length: 100 }, (_, n) => event(`good-${n}`, 'Ada'))
  await producer.send({
    topic: herald.topics.mention,
    messages: [...refused, ...good].toSorted(() => Math.random() - 0.5),
  })
  await eventually(async () => (await listed()).length === 100)
  await eventually(async () => (await notifications.countDocuments()) === 100)

  const [first = '{}'] = await listed()
  const { origin, code } = JSON.parse(first)
  expect(code).toBe('refused_by_storage')
  expect((await run('show', origin)).stdout).toContain('header  x-of-the-publisher: kept')
  expect((await run('replay', '--code', code, '--dry-run')).stderr).toContain('100 would be sent back')
  await expect(run('show', `${herald.topics.mention}/0/999999`)).rejects.toMatchObject({ code: 1 })

  await client.db(name).command({ collMod: 'notifications', validator: {} })
  expect((await run('replay', '--code', code)).stderr).toContain('100 sent back, 0 skipped as duplicates')
  await eventually(async () => (await notifications.countDocuments()) === 200)
  expect((await run('replay')).stderr).toContain('100 sent back')
  await eventually(async () => {
    const metrics = await (await fetch(`${herald.ingest.adminUrl}/metrics`)).text()
    return Number(/herald_events_total\{topic="mention[^}]*outcome="stored"\} (\d+)/.exec(metrics)?.[1]) === 300
  })
  expect(await notifications.countDocuments()).toBe(200)
  expect(await listed()).toHaveLength(100)
}, 300_000)

test('a forged letter neither changes the terminal nor reaches topics that were not named', async () => {
  const { deadLetter, privacy } = herald.topics
  const [other] = Object.values(await createTopics(KAFKA_BROKERS.split(','), topicsWithSuffix(`${name}-other`)))
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
