import { randomBytes, randomUUID } from 'node:crypto'
import { deriveEventId, formatTimestamp } from '@herald/contracts'
import { connectTestClients } from '@herald/kafka/testing'
import { createTopics, eventually } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mentionData } from '../events/records.fixture.ts'
import { createRequest } from '../http/create-request.fixture.ts'
import { createEmptyIngest, type TestIngest } from '../ingest.fixture.ts'
import { followAnnouncements } from './announced-topic.fixture.ts'

const subscriberId = randomUUID()
const source = '/comments'
const { producer } = connectTestClients()
const topic = `announced-${process.pid}`
let ingest: TestIngest
let announced: Awaited<ReturnType<typeof followAnnouncements>>

/** Starts before its topic of announcements exists. */
beforeAll(async () => {
  const environment = {
    KAFKA_NOTIFICATION_TOPIC: topic,
    EVENT_SOURCE: '/herald-test',
    ANNOUNCE_UNREAD_AFTER_MINUTES: '1',
  }
  ingest = await createEmptyIngest('announced', { environment })
  await createTopics(ingest.brokers, ingest.topics, { partitions: 1 })
  await ingest.migrate()
  ingest.start()
})
afterAll(async () => {
  await announced?.stop()
  await ingest?.stop()
})

const newTraceparent = () => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`

function newEvent(type: string, data: object, time = new Date()) {
  const id = randomUUID()
  const traceparent = newTraceparent()
  const attributes = { specversion: '1.0', id, source, type, time: time.toISOString(), subscriberid: subscriberId }
  return {
    traceparent,
    /** The id of the notification or of the retraction. */
    eventId: deriveEventId({ subscriberId, source, id, time: time.getTime() }),
    message: {
      key: subscriberId,
      value: JSON.stringify({ ...attributes, traceparent, data }),
      headers: { 'content-type': 'application/cloudevents+json' },
    },
  }
}

const newMention = (recipientIds: readonly string[], time?: Date) =>
  newEvent('herald.mention.created.v1', mentionData({ recipientIds, locationId: randomUUID() }), time)

const send = (...events: readonly { message: { key: string; value: string } }[]) =>
  producer.send({ topic: ingest.topics.mention, messages: events.map(({ message }) => message) })

const isStored = async (recipientId: string, id: string) =>
  (await ingest.store.notifications.of({ subscriberId, recipientId }).get(id)) !== null

describe('while the topic is missing', () => {
  const recipientId = randomUUID()
  const mention = newMention([recipientId])
  let posted: string

  test('says so at /readyz, and stores events and requests', async () => {
    await eventually(async () =>
      (await ingest.admin.app.inject('/readyz')).body.includes(`The topic ${topic} does not exist`),
    )
    await send(mention)
    await eventually(() => isStored(recipientId, mention.eventId))
    const user = await ingest.newUser({ subscriberId })
    const { status, json } = await user.post(createRequest())
    expect(status).toBe(201)
    posted = json.data.id
    await eventually(async () => (await ingest.store.announcements.countDue(new Date(), 10)).due === 2)
  })

  test('announces everything once it is there', async () => {
    await createTopics(ingest.brokers, { ...ingest.topics, notification: topic }, { partitions: 2 })
    announced = await followAnnouncements(ingest.brokers, topic)
    await announced.withIds([`${mention.eventId}/1`, `${posted}/1`])
    await eventually(async () => (await ingest.store.announcements.countDue(new Date(), 10)).due === 0)
    await eventually(async () => (await ingest.admin.app.inject('/readyz')).statusCode === 200)
  }, 300_000)
})

test('announces a notification in parts, with the form and the trace of its event, once', async () => {
  const recipientIds = Array.from({ length: 1_100 }, () => randomUUID())
  const mention = newMention([...recipientIds, ...recipientIds.slice(0, 50)])
  await send(mention)
  const ids = [1, 2, 3].map((part) => `${mention.eventId}/${part}`)
  const received = await announced.withIds(ids)

  const sorted = recipientIds.toSorted()
  const parts = received.map(({ raw }) => raw.data as { recipientIds: string[]; part: number; parts: number })
  expect(parts.map((part) => part.recipientIds)).toEqual([
    sorted.slice(0, 500),
    sorted.slice(500, 1_000),
    sorted.slice(1_000),
  ])
  expect(parts.map(({ part, parts: all }) => [part, all])).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ])
  const body = await ingest.store.notifications
    .of({ subscriberId, recipientId: sorted[0] as string })
    .get(mention.eventId)
  const { readAt: _, emailSentAt: __, ...form } = JSON.parse(String(body)).data
  for (const { raw, key } of received) {
    expect(key).toBe(subscriberId)
    expect(raw).toEqual({
      specversion: '1.0',
      id: raw.id,
      source: '/herald-test',
      type: 'herald.notification.created.v1',
      time: form.createdAt,
      subscriberid: subscriberId,
      datacontenttype: 'application/json',
      traceparent: mention.traceparent,
      data: { ...parts[ids.indexOf(raw.id as string)], notification: form },
    })
  }

  const later = newMention([randomUUID()])
  await send(mention, later)
  await announced.withIds([`${later.eventId}/1`])
  expect(announced.received.filter(({ event }) => ids.includes(event.id))).toHaveLength(3)
})

test('announces a request, and its retraction with the time and the trace of the DELETE', async () => {
  const user = await ingest.newUser({ subscriberId })
  const body = createRequest()
  const { json } = await user.post(body)
  const [created] = await announced.withIds([`${json.data.id}/1`])
  const { recipients, ...form } = json.data
  expect(created?.raw.data).toEqual({
    notification: form,
    recipientIds: [...body.recipientIds].sort(),
    part: 1,
    parts: 1,
  })
  expect(recipients).toHaveLength(2)

  const traceparent = newTraceparent()
  const { authorization } = user
  const deleted = await ingest.http.inject({
    method: 'DELETE',
    url: `/notifications/${json.data.id}`,
    headers: { authorization, traceparent },
  })
  expect(deleted.statusCode).toBe(204)
  const isRetraction = ({ event }: (typeof announced.received)[number]) =>
    event.type === 'herald.notification.retracted.v1' && event.data.notificationId === json.data.id
  await eventually(() => announced.received.some(isRetraction))
  const retracted = announced.received.find(isRetraction)
  expect(retracted?.raw.traceparent).toBe(traceparent)
  expect(retracted?.raw.data).toEqual({
    notificationId: json.data.id,
    recipientIds: [...body.recipientIds].sort(),
    part: 1,
    parts: 1,
  })
})

test('announces from whom an event retracted a notification, in the parts of those whom both events name', async () => {
  const recipientIds = Array.from({ length: 600 }, () => randomUUID()).sort()
  const mention = newMention(recipientIds)
  await send(mention)
  await announced.withIds([`${mention.eventId}/2`])
  const target = { notificationId: mention.eventId }
  const first = newEvent('herald.mention.retracted.v1', { ...target, recipientIds: recipientIds.slice(0, 2) })
  await send(first)
  const id = (event: typeof first, part: number) => `${mention.eventId}/retracted/${event.eventId}/${part}`
  const [ofTwo] = await announced.withIds([id(first, 1)])
  expect(ofTwo?.raw).toMatchObject({
    traceparent: first.traceparent,
    time: formatTimestamp(new Date(JSON.parse(first.message.value).time)),
    data: { ...target, recipientIds: recipientIds.slice(0, 2), part: 1, parts: 1 },
  })
  const all = newEvent('herald.mention.retracted.v1', target)
  await send(all)
  const ofAll = await announced.withIds([id(all, 1), id(all, 2)])
  expect(ofAll.map(({ raw }) => raw.data)).toEqual([
    { ...target, recipientIds: recipientIds.slice(2, 500), part: 1, parts: 2 },
    { ...target, recipientIds: recipientIds.slice(500), part: 2, parts: 2 },
  ])
})

test('announces what is unread a minute after its creation', async () => {
  const [recipientId, createdAt] = [randomUUID(), new Date(Date.now() - 61_000)]
  const mention = newMention([recipientId], createdAt)
  await send(mention)
  await announced.withIds([`${mention.eventId}/1`])
  const [unread] = await announced.withIds([`${recipientId}/${mention.eventId}/unread`])
  const body = await ingest.store.notifications.of({ subscriberId, recipientId }).get(mention.eventId)
  const { data: latest } = JSON.parse(String(body))
  const { locationType, locationId } = latest
  expect(unread?.raw).toMatchObject({
    type: 'herald.notification.unread.v1',
    time: formatTimestamp(new Date(createdAt.getTime() + 60_000)),
    data: {
      recipientId,
      locationType,
      locationId,
      notificationIds: [mention.eventId],
      total: 1,
      unreadCount: 1,
      latest,
    },
  })
})

test('does not announce what was older than a day when it was first stored, and counts it', async () => {
  const skipped = await ingest.metric('herald_announcements_skipped_total')
  const [recipientId, dayMs] = [randomUUID(), 24 * 60 * 60 * 1_000]
  const old = newMention([recipientId], new Date(Date.now() - dayMs - 60_000))
  const recent = newMention([randomUUID()], new Date(Date.now() - dayMs + 60_000))
  await send(old, recent)
  await announced.withIds([`${recent.eventId}/1`])
  await eventually(() => isStored(recipientId, old.eventId))
  expect(await ingest.metric('herald_announcements_skipped_total')).toBe(skipped + 1)
  expect(announced.received.filter(({ event }) => event.id.startsWith(old.eventId))).toEqual([])
})

test('shows in metrics what is due, and what was published', async () => {
  await eventually(async () => (await ingest.metric('herald_announcements_due')) === 0)
  expect(await ingest.metric('herald_announcements_oldest_seconds')).toBe(0)
  expect(await ingest.metric('herald_announcements_total', 'kind="created"')).toBeGreaterThan(0)
})
