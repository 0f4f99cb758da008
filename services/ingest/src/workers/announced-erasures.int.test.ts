import { randomUUID } from 'node:crypto'
import { deriveEventId, formatTimestamp } from '@herald/contracts'
import type { NewNotification } from '@herald/feed'
import { connectTestClients } from '@herald/kafka/testing'
import { createStore } from '@herald/store'
import { createTopics } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mentionData } from '../events/records.fixture.ts'
import { createEmptyIngest, type TestIngest } from '../ingest.fixture.ts'
import { followAnnouncements } from './announced-topic.fixture.ts'

const subscriberId = randomUUID()
const { producer } = connectTestClients()
const topic = `announced-erasures-${process.pid}`
let ingest: TestIngest
let announced: Awaited<ReturnType<typeof followAnnouncements>>

beforeAll(async () => {
  ingest = await createEmptyIngest('announced-erasures', { environment: { KAFKA_NOTIFICATION_TOPIC: topic } })
  await createTopics(ingest.brokers, { ...ingest.topics, notification: topic }, { partitions: 1 })
  await ingest.migrate()
  ingest.start()
  announced = await followAnnouncements(ingest.brokers, topic)
})
afterAll(async () => {
  await announced?.stop()
  await ingest?.stop()
})

const idOf = (id: string, time: Date) => deriveEventId({ subscriberId, source: '/comments', id, time: time.getTime() })

async function send(id: string, time: Date, data: object): Promise<void> {
  const type = 'herald.mention.created.v1'
  const attributes = { specversion: '1.0', id, source: '/comments', type, time, subscriberid: subscriberId }
  const headers = { 'content-type': 'application/cloudevents+json' }
  const value = JSON.stringify({ ...attributes, data })
  await producer.send({ topic: ingest.topics.mention, messages: [{ key: subscriberId, value, headers }] })
}

/** The notification as announced, and as its recipient reads it. */
async function read(id: string, recipientId: string) {
  const [received] = await announced.withIds([`${id}/1`])
  const { notification } = (received?.raw.data ?? {}) as { notification: Record<string, unknown> }
  const body = await ingest.store.notifications.of({ subscriberId, recipientId }).get(id)
  const { readAt: _, emailSentAt: __, ...stored } = JSON.parse(String(body)).data
  return { notification, stored }
}

test('a late mention by an erased person is announced without them', async () => {
  const [personId, recipientId, time] = [randomUUID(), randomUUID(), new Date()]
  const erasure = { subscriberId, eventId: randomUUID(), time, personId }
  await ingest.store.erasures.accept([erasure])
  while (await ingest.store.erasures.step(erasure));

  const [eventId, earlier] = [randomUUID(), new Date(time.getTime() - 60_000)]
  const actor = { id: personId, name: 'Ada Lovelace', image: 'ada.png' }
  const mention = { mentionerName: 'Ada Lovelace', snippet: 'Ada wrote', anchorId: 'a' }
  const data = { actor, subjectId: personId, recipientIds: [recipientId], metadata: { mention, add: {}, edit: {} } }
  await send(eventId, earlier, mentionData(data))

  const { notification, stored } = await read(idOf(eventId, earlier), recipientId)
  expect(notification).toEqual(stored)
  expect(JSON.stringify(notification)).not.toMatch(new RegExp(`Ada|${personId}`))
  expect(notification).toMatchObject({
    actor: { id: notification.actorId, name: '', image: '' },
    subjectId: notification.actorId,
    metadata: { mention: { mentionerName: '', snippet: '' } },
    updatedAt: formatTimestamp(time),
  })
})

test('a redelivery with other content after a crash announces the content that was stored first', async () => {
  const [recipientId, eventId, time] = [randomUUID(), randomUUID(), new Date()]
  const { metadata, ...content } = mentionData({ recipientIds: [recipientId] })
  // Stored by a process that was killed before it announced anything.
  const id = idOf(eventId, time)
  const first = { ...content, metadata: JSON.stringify(metadata), id, subscriberId, type: 'mention', createdAt: time }
  const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => new Date() }
  const killed = createStore({
    uri: process.env.MONGODB_URI ?? '',
    database: ingest.database,
    applicationName: 'test',
    announcing,
  })
  await killed.notifications.insertNew([first as NewNotification])
  await killed.close()
  await send(eventId, time, mentionData({ recipientIds: [recipientId], actor: { ...content.actor, name: 'Bob' } }))

  const { notification, stored } = await read(id, recipientId)
  expect(notification).toEqual(stored)
  expect(notification).toMatchObject({ actor: { name: 'Ada' } })
})
