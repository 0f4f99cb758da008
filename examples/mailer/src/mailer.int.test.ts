import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createEvents, createPublisher, notificationIdOf } from '@herald/publisher'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Consumer, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import { createTransport } from 'nodemailer'
import { SMTPServer } from 'smtp-server'
import { fillLink } from './link.ts'
import { createMailer, type Mailer } from './mailer.ts'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const brokers = KAFKA_BROKERS.split(',')
const unique = `mailer-${randomUUID().slice(0, 8)}`
const topic = `notification-events-${unique}`
const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
const events = createEvents({ source: '/comments' })

type Received = { to: string; message: string }
const mailbox: Received[] = []
const log: string[] = []
/** The SMTP server's reply to a recipient with this local part. */
const answers = new Map<string, number>()
const refusals = new Map<string, number>()
/** The SMTP server's reply to a login, and to any sender; 0 to accept. */
const refused = { login: 0, sender: 0 }
let smtp: SMTPServer
let herald: StartedHerald
let producer: Producer
let consumer: Consumer
let mailer: Mailer

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth(_, __, done) {
      if (refused.login === 0) done(null, { user: 'mailer' })
      else done(Object.assign(new Error('Refused'), { responseCode: refused.login }))
    },
    onMailFrom(_, __, done) {
      done(refused.sender === 0 ? null : Object.assign(new Error('Refused'), { responseCode: refused.sender }))
    },
    onRcptTo({ address }, _, done) {
      const user = address.split('@')[0] ?? ''
      const responseCode = answers.get(user)
      if (responseCode !== undefined) refusals.set(user, (refusals.get(user) ?? 0) + 1)
      done(responseCode === undefined ? null : Object.assign(new Error('Refused'), { responseCode }))
    },
    onData(stream, { envelope }, done) {
      text(stream).then((message) => {
        mailbox.push({ to: envelope.rcptTo[0]?.address ?? '', message })
        done()
      }, done)
    },
  })
  smtp.on('error', () => {})
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  const topics = await createTopics(brokers, { ...topicsWithSuffix(unique), notification: topic }, { partitions: 2 })
  herald = await startHerald({
    servers: { kafkaBrokers: brokers, mongodbUri: MONGODB_URI },
    topics,
    database: unique,
    environment: { KAFKA_NOTIFICATION_TOPIC: topic, ANNOUNCE_UNREAD_AFTER_MINUTES: '1' },
  })
  producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  consumer = kafka.consumer({
    groupId: unique,
    maxWaitTimeInMs: 100,
    retry: { initialRetryTime: 100, maxRetryTime: 500 },
  })
  await Promise.all([producer.connect(), consumer.connect()])
  const { port } = smtp.server.address() as AddressInfo
  mailer = createMailer({
    producer,
    topics,
    from: 'herald@example.com',
    log: (line) => log.push(line),
    transport: createTransport({ host: '127.0.0.1', port, auth: { user: 'mailer', pass: 'secret' }, ignoreTLS: true }),
    linkOf: (data) => fillLink('https://app.example/{locationType}/{locationId}?as={recipientId}', data),
    addressOf: async ({ userId }) => (userId === unknownUser ? undefined : `${userId}@example.com`),
  })
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({ eachMessage: ({ message }) => mailer(message) })
}, 120_000)
afterAll(async () => {
  await Promise.all([consumer?.disconnect(), producer?.disconnect()])
  await herald?.stop()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

const subscriberId = randomUUID()
const unknownUser = randomUUID()
const locationId = randomUUID()

/** Publishes a mention that has been unread for more than a minute. */
async function mention(userId: string): Promise<string> {
  const identity = { id: randomUUID(), time: new Date(Date.now() - 90_000), subscriberId }
  const event = events.mentionCreated(identity, {
    actor: { id: randomUUID(), name: 'Ada', image: '' },
    actorType: 'user',
    subjectId: randomUUID(),
    subjectType: 'user',
    locationId,
    locationType: 'file comment',
    recipientIds: [userId],
    metadata: { mention: { mentionerName: 'Ada', snippet: 'Look at this', entityType: 'portfolio' } },
  })
  await createPublisher({ producer, topics: herald.topics }).publish(event)
  return notificationIdOf(event)
}

/** The announcement of a notification of a user. */
function unreadBy(recipientId: string): object {
  const [id, actorId, subjectId] = [randomUUID(), randomUUID(), randomUUID()]
  const time = '2026-01-31T09:30:00Z'
  const latest = {
    id,
    subscriberId,
    type: 'mention',
    actorId,
    actorType: 'user',
    subjectId,
    subjectType: 'user',
    locationId,
    locationType: 'file comment',
    createdAt: time,
    updatedAt: time,
    readAt: null,
    emailSentAt: null,
    actor: { id: actorId, name: 'Ada', image: '' },
    metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }, add: {}, edit: {} },
  }
  return {
    specversion: '1.0',
    id: `${recipientId}/${id}/unread`,
    source: '/herald',
    time,
    subscriberid: subscriberId,
    type: 'herald.notification.unread.v1',
    datacontenttype: 'application/json',
    data: {
      recipientId,
      locationType: 'file comment',
      locationId,
      notificationIds: [id],
      total: 1,
      unreadCount: 1,
      latest,
    },
  }
}

async function emailSentAt(userId: string, id: string): Promise<string | null> {
  const authorization = `Bearer ${await herald.tokens.sign({ sub: userId, subscriber_id: subscriberId })}`
  const answer = await fetch(`${herald.baseUrl}/notifications/${id}`, { headers: { authorization } })
  return answer.ok ? ((await answer.json()) as { data: { emailSentAt: string | null } }).data.emailSentAt : null
}

const mailsTo = (userId: string) => mailbox.filter(({ to }) => to === `${userId}@example.com`)

test('sends one e-mail about an unread notification, after which the feed shows when', async () => {
  const userId = randomUUID()
  const id = await mention(userId)
  await eventually(async () => (await emailSentAt(userId, id)) !== null, { description: 'emailSentAt' })
  const [mail, ...others] = mailsTo(userId)
  expect(others).toEqual([])
  expect(mail?.message).toContain('Subject: Ada mentioned you')
  expect(mail?.message).toContain('Look at this')
  const body = mail?.message.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  expect(body).toContain(`https://app.example/file%20comment/${locationId}?as=${userId}`)
}, 60_000)

test('skips what the SMTP server refuses for good, and users without an address', async () => {
  const userId = randomUUID()
  answers.set(userId, 550)
  const id = await mention(userId)
  await mention(unknownUser)
  await eventually(() => log.some((line) => line.startsWith(`Rejected for ${userId}`)), { description: 'rejection' })
  await eventually(() => log.includes(`No address for ${unknownUser}`), { description: 'no address' })
  expect(await emailSentAt(userId, id)).toBeNull()
}, 60_000)

test('tries again while the SMTP server refuses for now', async () => {
  const userId = randomUUID()
  answers.set(userId, 451)
  const id = await mention(userId)
  await eventually(() => (refusals.get(userId) ?? 0) > 1, { description: 'a second attempt' })
  answers.delete(userId)
  await eventually(async () => (await emailSentAt(userId, id)) !== null, { description: 'emailSentAt' })
  expect(mailsTo(userId)).toHaveLength(1)
}, 90_000)

test.each([
  ['login', 535],
  ['sender', 550],
  ['sender', 530],
] as const)('keeps an e-mail while the SMTP server refuses the %s with %i', async (part, code) => {
  const recipientId = randomUUID()
  const value = JSON.stringify(unreadBy(recipientId))
  refused[part] = code
  await expect(mailer({ value })).rejects.toMatchObject({ responseCode: code })
  refused[part] = 0
  await mailer({ value })
  expect(mailsTo(recipientId)).toHaveLength(1)
})

test('sends an e-mail once while its receipt cannot be published', async () => {
  const recipientId = randomUUID()
  const value = JSON.stringify(unreadBy(recipientId))
  const published: unknown[] = []
  let isAway = true
  const { port } = smtp.server.address() as AddressInfo
  const other = createMailer({
    producer: {
      async sendBatch(batch) {
        if (isAway) throw new Error('No leader')
        published.push(batch)
      },
    },
    from: 'herald@example.com',
    log: () => {},
    transport: createTransport({ host: '127.0.0.1', port, ignoreTLS: true }),
    addressOf: async () => `${recipientId}@example.com`,
  })
  for (let attempt = 0; attempt < 3; attempt++) await expect(other({ value })).rejects.toThrow('No leader')
  isAway = false
  await other({ value })
  await other({ value })
  expect(mailsTo(recipientId)).toHaveLength(1)
  expect(published).toHaveLength(1)
})

test('ignores repeated and other records', async () => {
  const before = mailbox.length
  await mailer({ value: 'no JSON' })
  await mailer({ value: JSON.stringify({ type: 'herald.notification.later.v1' }) })
  expect(log.at(-1)).toContain('Skipped')
  expect(mailbox).toHaveLength(before)
})

test('sends a user no more than its own limit in an hour, and says so', async () => {
  const userId = randomUUID()
  let time = new Date('2026-01-31T09:59:59Z')
  const sent: unknown[] = []
  const lines: string[] = []
  const limited = createMailer({
    producer,
    topics: herald.topics,
    transport: { sendMail: async (mail: unknown) => void sent.push(mail) } as never,
    from: 'herald@example.com',
    addressOf: async () => 'someone@example.com',
    linkOf: (data) => fillLink('https://app.example/{locationId}', data),
    perHour: 2,
    now: () => time,
    log: (line) => lines.push(line),
  })
  const handle = (changes = {}) => {
    const event = unreadBy(userId) as { data: object }
    return limited({ value: Buffer.from(JSON.stringify({ ...event, data: { ...event.data, ...changes } })) })
  }
  await handle()
  await handle({ locationType: null, locationId: null })
  await handle()
  expect(sent).toMatchObject([
    { text: expect.stringContaining('https://app.example/') },
    { text: expect.not.stringContaining('https://app.example/') },
  ])
  expect(lines).toEqual([`2 e-mails to ${userId} in this hour: not sent`])
  time = new Date('2026-01-31T10:00:00Z')
  await handle()
  expect(sent).toHaveLength(3)
})
