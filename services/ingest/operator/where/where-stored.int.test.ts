import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, expect, test } from '@jest/globals'
import { Binary, MongoClient } from 'mongodb'
import { changeData, mentionData } from '#ingest/events/records.fixture'
import { runHere } from '../command-line/herald.fixture.ts'
import { createTestWhere, event, idOf, mention, ofBoth, other, recipient, subscriber, time } from './where.fixture.ts'

const { ingest, environment, publish, where, eventuallyWhere, showsNothingPrivate } = createTestWhere('where-stored')
const client = new MongoClient(process.env.MONGODB_URI ?? '')
afterAll(() => client.close())

test('stored: a mention, with its recipients, and one of them with its read state', async () => {
  await publish(ingest().topics.mention, 'a', mention, ofBoth())
  expect(await eventuallyWhere(event('a'), 'stored', 2)).toMatchObject({
    exitCode: 0,
    answer: { id: idOf('a'), createdAt: time, recipients: 2, stored: 2, retracted: 0 },
  })
  await publish(
    ingest().topics.receipt,
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
}, 300_000)

test('stored: a change entry', async () => {
  await publish(ingest().topics.change, 'change', 'herald.change.recorded.v1', changeData())
  expect(await eventuallyWhere(event('change'), 'stored')).toMatchObject({
    exitCode: 0,
    answer: { id: idOf('change') },
  })
}, 300_000)

test('retracted: from all, or from one recipient', async () => {
  await publish(ingest().topics.mention, 'b', mention, ofBoth())
  await eventuallyWhere(event('b'), 'stored')
  const one = { notificationId: idOf('b'), recipientIds: [recipient] }
  await publish(ingest().topics.mention, 'b-back', 'herald.mention.retracted.v1', one)
  expect(await eventuallyWhere([...event('b'), '--recipient', recipient], 'retracted')).toMatchObject({
    exitCode: 5,
    answer: { retracted: 1, stored: 0, retractedAt: time },
  })
  expect((await where(event('b'))).answer).toMatchObject({ answer: 'stored', recipients: 2, stored: 1, retracted: 1 })
  expect(await eventuallyWhere(event('b-back'), 'stored')).toMatchObject({ answer: { retraction: time } })
}, 300_000)

test('retracted: by the command, also before the notification arrives', async () => {
  const words = ['retract', '--subscriber', subscriber, '--notification', idOf('early')]
  const dry = await runHere([...words, '--dry-run'], environment())
  expect(JSON.parse(dry.stdout)).toMatchObject({ subscriberid: subscriber, data: { notificationId: idOf('early') } })
  expect((await where(event('early'))).answer.answer).toBe('never seen')
  const run = await runHere(words, environment())
  expect(run.exitCode).toBe(0)
  expect(run.stderr).toContain(`herald where --subscriber ${subscriber} --source /herald/command --id `)
  expect(await eventuallyWhere(event('early'), 'retracted')).toMatchObject({ exitCode: 5 })
}, 300_000)

test('an announcement that is due', async () => {
  await publish(ingest().topics.mention, 'announced', mention, ofBoth())
  await eventuallyWhere(event('announced'), 'stored')
  await eventually(async () => (await where(event('announced'))).answer.announcement === undefined)
  const key = new Binary(Buffer.from((subscriber + idOf('announced')).replaceAll('-', ''), 'hex'))
  const fanOuts = client.db(ingest().database).collection<{ _id: Binary }>('fan-outs')
  await fanOuts.updateOne({ _id: key }, { $set: { unannounced: {} } })
  expect(await where(event('announced'))).toMatchObject({
    exitCode: 0,
    answer: { answer: 'stored', announcement: 'due' },
  })
}, 300_000)

test('erased: the recipient, and an erasure that was carried out', async () => {
  const person = randomUUID()
  const only = mentionData({ recipientIds: [person] })
  await publish(ingest().topics.mention, 'erased', mention, only)
  await eventuallyWhere(event('erased'), 'stored')
  const words = ['erase', '--subscriber', subscriber, '--person', person, '--id', 'erasure', '--time', time]
  const { exitCode, stdout, stderr } = await runHere(words, environment())
  expect([exitCode, JSON.parse(stdout).data]).toEqual([0, { personId: person }])
  expect(stderr).toContain('herald where --subscriber')
  const asked = ['--source', '/herald/command', '--id', 'erasure', '--time', time]
  // Ingest accepts it; another part of it, which does not run here, carries it out.
  expect(await eventuallyWhere(asked, 'waiting')).toMatchObject({ exitCode: 3, answer: { erasure: time } })
  const { erasures } = ingest().store
  const [erasure] = (await erasures.open()).filter((open) => open.subscriberId === subscriber)
  if (erasure) while (await erasures.step(erasure));
  expect(await where(asked)).toMatchObject({ exitCode: 0, answer: { answer: 'stored', erasure: time } })
  expect(await where([...event('erased'), '--recipient', person])).toMatchObject({
    exitCode: 6,
    answer: { erasedAt: time },
  })
  expect(await where(event('erased'))).toMatchObject({ exitCode: 6, answer: { stored: 0, erased: 1 } })
  const { KAFKA_PRIVACY_TOPIC: _, ...without } = environment()
  expect(await runHere(words, without)).toMatchObject({ exitCode: 2, stderr: 'KAFKA_PRIVACY_TOPIC: Required\n' })
}, 300_000)

test('waiting: a receipt for its notification', async () => {
  const data = { notificationId: idOf('later'), recipientId: recipient }
  await publish(ingest().topics.receipt, 'receipt', 'herald.email.sent.v1', data)
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
    answer: { receiptsWaiting: 1 },
  })
}, 300_000)

test('waiting: a request that was cut off', async () => {
  const user = await ingest().newUser({ subscriberId: subscriber, scope: 'notifications:create' })
  const { actor: _, ...content } = mentionData()
  const { json } = await user.post({ ...content, type: 'mention' })
  const { id } = json.data
  expect((await where(['--notification', id])).answer).toMatchObject({ answer: 'stored', createdBy: 'POST /' })
  // As if its process had died before it removed the mark.
  const key = new Binary(Buffer.from((subscriber + id).replaceAll('-', ''), 'hex'))
  const dueAt = new Date(Date.now() + 60_000)
  await client
    .db(ingest().database)
    .collection<{ _id: Binary }>('fan-outs')
    .updateOne({ _id: key }, { $set: { dueAt } })
  expect(await where(['--notification', id])).toMatchObject({ exitCode: 3, answer: { dueAt: dueAt.toISOString() } })
}, 300_000)

test.each(['a', 'b', 'change', 'receipt'])(
  'prints no names, texts, e-mail addresses or states of %s',
  async (id) => {
    expect(await showsNothingPrivate(id)).toBe(true)
  },
  300_000,
)
