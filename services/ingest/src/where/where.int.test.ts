import { randomUUID } from 'node:crypto'
import { deriveEventId } from '@herald/contracts'
import { createTopics, findFreePort, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Binary, MongoClient } from 'mongodb'
import { runHerald } from '../command-line/herald.fixture.ts'
import { attributes, changeData, mentionData, structured } from '../events/records.fixture.ts'
import { createTestIngest, eventually, type TestIngest } from '../ingest.fixture.ts'
import { connectTestClients } from '../kafka.fixture.ts'

const { admin, producer } = connectTestClients()
const announcements = `where-announcements-${process.pid}`
const client = new MongoClient(process.env.MONGODB_URI ?? '')
const subscriber = randomUUID()
const recipient = randomUUID()
const other = randomUUID()
const time = new Date(Date.now() - 60_000).toISOString()

let ingest: TestIngest
/** Topics that nothing consumes. */
const unread = topicsWithSuffix(`where-unread-${process.pid}`)
let environment: Record<string, string>

beforeAll(async () => {
  ingest = await createTestIngest('where', { KAFKA_NOTIFICATION_TOPIC: announcements })
  await Promise.all([createTopics(ingest.brokers, ingest.topics), createTopics(ingest.brokers, unread)])
  await admin.createTopics({ topics: [{ topic: announcements, numPartitions: 2 }] })
  await ingest.store.migrate()
  ingest.events.start()
  environment = {
    KAFKA_BROKERS: ingest.brokers.join(','),
    KAFKA_GROUP_ID: ingest.groupId,
    KAFKA_MENTION_TOPIC: ingest.topics.mention,
    KAFKA_CHANGE_TOPIC: ingest.topics.change,
    KAFKA_RECEIPT_TOPIC: ingest.topics.receipt,
    KAFKA_DEAD_LETTER_TOPIC: ingest.topics.deadLetter,
    KAFKA_NOTIFICATION_TOPIC: announcements,
    KAFKA_PRIVACY_TOPIC: ingest.topics.privacy,
    MONGODB_URI: process.env.MONGODB_URI ?? '',
    MONGODB_DATABASE: ingest.database,
  }
}, 60_000)
afterAll(async () => {
  await ingest?.stop()
  await client.close()
})

const source = '/where'
const idOf = (id: string, at = time) => deriveEventId({ subscriberId: subscriber, source, id, time: Date.parse(at) })

async function publish(topic: string, id: string, type: string, data: unknown, changes: Record<string, unknown> = {}) {
  const event = attributes({ id, source, type, time, subscriberid: subscriber, ...changes })
  const { value, headers } = structured(event, data)
  await producer.send({ topic, messages: [{ key: subscriber, value, headers: headers as Record<string, Buffer> }] })
}

const mention = 'herald.mention.created.v1'
const ofBoth = () => mentionData({ recipientIds: [recipient, other] })

async function where(words: readonly string[], changes: Record<string, string> = {}) {
  const run = await runHerald(['where', '--json', '--subscriber', subscriber, ...words], { ...environment, ...changes })
  const answer = run.stdout === '' ? undefined : JSON.parse(run.stdout)
  return { ...run, answer }
}

const event = (id: string, at = time) => ['--source', source, '--id', id, '--time', at]

/** Asks until the answer is another one than those on the way. */
async function eventuallyWhere(words: readonly string[], expected: string) {
  let last: Awaited<ReturnType<typeof where>> | undefined
  await eventually(async () => {
    last = await where(words)
    return last.answer?.answer === expected
  }, 30_000).catch(() => {})
  return last
}

test('stored: a mention, with its recipients, and one of them with its read state', async () => {
  await publish(ingest.topics.mention, 'a', mention, ofBoth())
  expect(await eventuallyWhere(event('a'), 'stored')).toMatchObject({
    exitCode: 0,
    answer: { id: idOf('a'), createdAt: time, recipients: 2, stored: 2, retracted: 0 },
  })
  await publish(
    ingest.topics.receipt,
    'r',
    'herald.notification.read.v1',
    { notificationId: idOf('a'), recipientId: recipient },
    { time: new Date().toISOString() },
  )
  await eventually(
    async () => (await where(['--notification', idOf('a'), '--recipient', recipient])).answer.readAt !== undefined,
  )
  const { answer } = await where(['--notification', idOf('a'), '--recipient', other])
  expect(answer).toMatchObject({ answer: 'stored', recipients: 1, stored: 1 })
  expect(answer).not.toHaveProperty('readAt')
  const stranger = await where([...event('a'), '--recipient', randomUUID()])
  expect(stranger).toMatchObject({
    exitCode: 9,
    answer: { summary: 'The event was stored, but does not name this recipient.' },
  })
}, 60_000)

test('stored: a change entry', async () => {
  await publish(ingest.topics.change, 'change', 'herald.change.recorded.v1', changeData())
  expect(await eventuallyWhere(event('change'), 'stored')).toMatchObject({
    exitCode: 0,
    answer: { id: idOf('change') },
  })
}, 60_000)

test('retracted: from all, or from one recipient', async () => {
  await publish(ingest.topics.mention, 'b', mention, ofBoth())
  await eventuallyWhere(event('b'), 'stored')
  const one = { notificationId: idOf('b'), recipientIds: [recipient] }
  await publish(ingest.topics.mention, 'b-back', 'herald.mention.retracted.v1', one)
  expect(await eventuallyWhere([...event('b'), '--recipient', recipient], 'retracted')).toMatchObject({
    exitCode: 5,
    answer: { retracted: 1, stored: 0, retractedAt: time },
  })
  expect((await where(event('b'))).answer).toMatchObject({ answer: 'stored', recipients: 2, stored: 1, retracted: 1 })
  expect(await eventuallyWhere(event('b-back'), 'stored')).toMatchObject({ answer: { retraction: time } })
}, 60_000)

test('retracted: by the command, also before the notification arrives', async () => {
  const words = ['retract', '--subscriber', subscriber, '--notification', idOf('early')]
  const dry = await runHerald([...words, '--dry-run'], environment)
  expect(JSON.parse(dry.stdout)).toMatchObject({ subscriberid: subscriber, data: { notificationId: idOf('early') } })
  expect((await where(event('early'))).answer.answer).toBe('never seen')
  const run = await runHerald(words, environment)
  expect(run.exitCode).toBe(0)
  expect(run.stderr).toContain(`herald where --subscriber ${subscriber} --source /herald/command --id `)
  expect(await eventuallyWhere(event('early'), 'retracted')).toMatchObject({ exitCode: 5 })
}, 60_000)

test('announced, or due', async () => {
  await publish(ingest.topics.mention, 'announced', mention, ofBoth())
  await eventuallyWhere(event('announced'), 'stored')
  const announced = [...event('announced'), '--announced']
  await eventually(async () => (await where(announced)).answer.announcement.startsWith('announced at 2'))
  const key = new Binary(Buffer.from((subscriber + idOf('announced')).replaceAll('-', ''), 'hex'))
  const fanOuts = client.db(ingest.database).collection<{ _id: Binary }>('fan-outs')
  await fanOuts.updateOne({ _id: key }, { $set: { unannounced: {} } })
  expect(await where(event('announced'))).toMatchObject({
    exitCode: 0,
    answer: { answer: 'stored', announcement: 'due' },
  })
  await fanOuts.updateOne({ _id: key }, { $unset: { unannounced: true } })
  const elsewhere = { KAFKA_NOTIFICATION_TOPIC: unread.receipt }
  expect((await where(announced, elsewhere)).answer.announcement).toBe('not on its topic')
  expect(await where(announced, { KAFKA_NOTIFICATION_TOPIC: '' })).toMatchObject({
    ...{ exitCode: 2, stderr: 'KAFKA_NOTIFICATION_TOPIC: Required with --announced\n' },
  })
}, 60_000)

test('erased: the recipient, and an erasure that was carried out', async () => {
  const person = randomUUID()
  const only = mentionData({ recipientIds: [person] })
  await publish(ingest.topics.mention, 'erased', mention, only)
  await eventuallyWhere(event('erased'), 'stored')
  const words = ['erase', '--subscriber', subscriber, '--person', person, '--id', 'erasure', '--time', time]
  const { exitCode, stdout, stderr } = await runHerald(words, environment)
  expect([exitCode, JSON.parse(stdout).data]).toEqual([0, { personId: person }])
  expect(stderr).toContain('herald where --subscriber')
  const asked = ['--source', '/herald/command', '--id', 'erasure', '--time', time]
  // Ingest accepts it; another part of it, which does not run here, carries it out.
  expect(await eventuallyWhere(asked, 'waiting')).toMatchObject({ exitCode: 3, answer: { erasure: time } })
  for (const erasure of await ingest.store.erasures.open()) while (await ingest.store.erasures.step(erasure));
  expect(await where(asked)).toMatchObject({ exitCode: 0, answer: { answer: 'stored', erasure: time } })
  expect(await where([...event('erased'), '--recipient', person])).toMatchObject({
    exitCode: 6,
    answer: { erasedAt: time },
  })
  expect(await where(event('erased'))).toMatchObject({ exitCode: 6, answer: { stored: 0, erased: 1 } })
  const { KAFKA_PRIVACY_TOPIC: _, ...without } = environment
  expect(await runHerald(words, without)).toMatchObject({ exitCode: 2, stderr: 'KAFKA_PRIVACY_TOPIC: Required\n' })
}, 90_000)

test('waiting: a receipt for its notification', async () => {
  const data = { notificationId: idOf('later'), recipientId: recipient }
  await publish(ingest.topics.receipt, 'receipt', 'herald.email.sent.v1', data)
  expect(await eventuallyWhere(event('receipt'), 'waiting')).toMatchObject({
    exitCode: 3,
    answer: {
      receipt: 'email-sent',
      waitsFor: idOf('later'),
      recipientId: recipient,
      waitingSince: expect.any(String),
    },
  })
  expect(await where(['--notification', idOf('later')])).toMatchObject({
    exitCode: 9,
    answer: { receiptsWaiting: 1, receiptsWaitingSince: expect.any(String) },
  })
}, 60_000)

test('waiting: a request that was cut off', async () => {
  const user = await ingest.newUser({ subscriberId: subscriber, scope: 'notifications:create' })
  const { actor: _, ...content } = mentionData()
  const { json } = await user.post({ ...content, type: 'mention' })
  const { id } = json.data
  expect((await where(['--notification', id])).answer).toMatchObject({ answer: 'stored', createdBy: 'POST /' })
  // As if its process had died before it removed the mark.
  const key = new Binary(Buffer.from((subscriber + id).replaceAll('-', ''), 'hex'))
  const dueAt = new Date(Date.now() + 60_000)
  await client.db(ingest.database).collection<{ _id: Binary }>('fan-outs').updateOne({ _id: key }, { $set: { dueAt } })
  expect(await where(['--notification', id])).toMatchObject({ exitCode: 3, answer: { dueAt: dueAt.toISOString() } })
}, 60_000)

describe('dead', () => {
  test('with its code, place and the command that replays it', async () => {
    await publish(ingest.topics.mention, 'bad', mention, mentionData({ recipientIds: [] }))
    expect(await eventuallyWhere(event('bad'), 'dead')).toMatchObject({
      exitCode: 4,
      answer: {
        ...{ code: 'invalid_data', offset: expect.any(String), deadSince: expect.any(String) },
        origin: expect.stringMatching(`^${ingest.topics.mention}/\\d+/\\d+$`),
        hints: expect.arrayContaining([expect.stringContaining('herald dead-letters replay --origin')]),
      },
    })
    expect((await where(['--notification', idOf('bad')])).answer.answer).toBe('dead')
  }, 60_000)

  test('also if the record is not a valid event', async () => {
    await publish(ingest.topics.mention, 'no-time', mention, ofBoth(), { time: 'yesterday' })
    expect((await eventuallyWhere(event('no-time'), 'dead'))?.answer).toMatchObject({ code: 'invalid_attributes' })
    const value = `{"id":"cut","source":"${source}","data":`
    const headers = { 'content-type': 'application/cloudevents+json' }
    await producer.send({ topic: ingest.topics.mention, messages: [{ key: subscriber, value, headers }] })
    expect((await eventuallyWhere(event('cut'), 'dead'))?.answer).toMatchObject({ code: 'not_json' })
  }, 60_000)

  test('not if it is older than the dead letters that are searched', async () => {
    const { answer } = await where([...event('bad'), '--since', new Date(Date.now() + 60_000).toISOString()])
    expect(answer.answer).toBe('never seen')
  }, 60_000)
})

test('expired: it is older than the retention', async () => {
  const old = '2020-01-01T00:00:00.000Z'
  const run = await where(event('old', old), { RETENTION_DAYS: '30' })
  expect(run).toMatchObject({ exitCode: 7, answer: { createdAt: old, expiredAt: '2020-01-31T00:00:00.000Z' } })
}, 60_000)

describe('not consumed yet', () => {
  const elsewhere = { KAFKA_MENTION_TOPIC: unread.mention, KAFKA_GROUP_ID: `unread-${process.pid}` }

  test('with its place and how far ingest is behind', async () => {
    for (const id of ['first', 'second', 'third']) await publish(unread.mention, id, mention, ofBoth())
    const run = await where(event('third'), elsewhere)
    expect(run).toMatchObject({ exitCode: 8, answer: { record: expect.stringContaining(`${unread.mention}/`) } })
    expect(run.answer.behind).toBeGreaterThanOrEqual(3)
    expect(run.answer.summary).toMatch(/^Ingest has to read 2 records /)
  }, 60_000)

  test('possibly, if more records than allowed would have to be searched', async () => {
    const run = await where([...event('unknown'), '--scan', '1'], elsewhere)
    expect(run).toMatchObject({
      exitCode: 8,
      answer: { summary: expect.stringMatching(/^It may be among \d+ records/) },
    })
    expect((await where(event('unknown'), elsewhere)).answer.answer).toBe('never seen')
  }, 60_000)
})

test('never seen: nothing has a trace of it', async () => {
  await eventually(async () => (await where(event('nothing'))).answer.behind === 0)
  expect(await where(event('nothing'))).toMatchObject({ exitCode: 9, answer: { answer: 'never seen', behind: 0 } })
}, 60_000)

describe('failures', () => {
  test('without MongoDB there is no answer', async () => {
    const uri = `mongodb://127.0.0.1:${await findFreePort()}/?replicaSet=none`
    const { exitCode, stdout, stderr } = await where(event('a'), { MONGODB_URI: uri })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^MongoDB is unavailable: .+\n$/)
  }, 60_000)

  test('without a broker MongoDB still answers; what it does not know is unavailable', async () => {
    const away = { KAFKA_BROKERS: `127.0.0.1:${await findFreePort()}` }
    expect((await where(event('a'), away)).answer.answer).toBe('stored')
    const { exitCode, stdout, stderr } = await where(event('nothing'), away)
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Kafka is unavailable: .+\n$/)
  }, 60_000)

  test.each([
    [['--notification', 'x'], '--notification: Must be a UUID'],
    [['--source', 's', '--id', 'i'], 'Either --source, --id and --time, or --notification is required'],
    [['--source', 's', '--id', 'i', '--time', 'noon'], '--time: Must be a time such as 2026-01-31T08:00:00Z'],
    [['--notification', subscriber, '--id', 'i'], '--notification excludes --source, --id and --time'],
    [['--frobnicate'], "Unknown option '--frobnicate'"],
  ])('%j is rejected', async (words, message) => {
    const { exitCode, stdout, stderr } = await where(words)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain('See herald where --help')
  })

  test('names every invalid setting', async () => {
    const { exitCode, stderr } = await where(event('a'), { MONGODB_URI: '', KAFKA_BROKERS: 'nowhere' })
    expect(exitCode).toBe(2)
    expect(stderr).toBe('MONGODB_URI: Required\nKAFKA_BROKERS: Must be a comma-separated list of host:port\n')
  })
})

test('prints no names, texts, e-mail addresses or states', async () => {
  for (const id of ['a', 'b', 'change', 'bad', 'no-time', 'receipt']) {
    for (const words of [[], ['--json']]) {
      const run = await runHerald(['where', '--subscriber', subscriber, ...words, ...event(id)], environment)
      expect(run.stdout).toContain(idOf(id))
      expect(run.stdout + run.stderr).not.toMatch(/Ada|Look|ada@example|Portfolio|"new"/)
    }
  }
}, 60_000)
