import { randomUUID } from 'node:crypto'
import { eventually, findKcat, type Kcat } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Message } from 'kafkajs'
import { derivedId } from '../support/derived-id.ts'
import { binary, type Event, mention, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { publishWithKcat } from '../support/kcat.ts'
import { dataOf } from '../support/notifications.ts'
import { type Page, toSeconds } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

const kcat = await findKcat()
let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const feedOf = async (user: User) => dataOf<Page>(await user.get('/'))

/** A mention with unknown fields of a newer publisher, and the exact notification that it must become. */
function mentionAndNotification(user: User) {
  const actor = { id: randomUUID(), name: 'Łukasz 🦊', image: '' }
  const subjectAndLocation = {
    subjectId: randomUUID(),
    subjectType: 'ai user',
    locationId: randomUUID(),
    locationType: 'file comment',
  }
  const content = {
    mentionerName: 'Łukasz',
    snippet: '“Look” — 𝄞 <b>\\n</b>',
    entityType: 'portfolio',
    anchorId: 'a/b c',
  }
  const add = {
    $set: { 'a.b': 1 },
    '': null,
    prototype: [true, 'ü'],
    zulu: 0,
    alpha: { $ref: 'x', _bsontype: 'ObjectId' },
  }
  const event = mention(
    [user.id, randomUUID(), user.id, user.id.toUpperCase()],
    {
      subscriberid: user.subscriberId,
      source: `/notes/${user.id}/ü`,
      time: '2026-01-31T10:30:00.987999+01:00',
      partitionkey: 'unknown-attribute',
      sequence: '7',
    },
    {
      ...subjectAndLocation,
      subjectId: subjectAndLocation.subjectId.toUpperCase(),
      actor: { ...actor, nickname: 'unknown' },
      actorType: 'ai user',
      metadata: { mention: { ...content, mood: 'unknown' }, add, edit: {} },
      priority: { unknown: true },
    },
  )
  const notification = {
    id: derivedId(event),
    subscriberId: user.subscriberId,
    type: 'mention',
    actorId: actor.id,
    actorType: 'ai user',
    ...subjectAndLocation,
    metadata: { mention: content, add, edit: {} },
    createdAt: '2026-01-31T09:30:00Z',
    updatedAt: '2026-01-31T09:30:00Z',
    actor,
    readAt: null,
    emailSentAt: null,
  }
  return { event, notification }
}

async function expectListed(publish: (user: User, event: Event) => Promise<unknown>) {
  const user = await herald.newUser()
  const { event, notification } = mentionAndNotification(user)
  await publish(user, event)
  await eventually(async () => (await feedOf(user)).notifications.length > 0, { description: 'the listed mention' })

  const answer = await user.get('/')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
  expect(answer.json).toStrictEqual({ data: { notifications: [notification], nextCursor: null } })
  const single = await user.get(`/notifications/${notification.id}`)
  expect(single.json).toStrictEqual({ data: notification })
}

const withKcat = kcat === undefined ? test.skip : test
const throughKcat = (record: Message, compression?: string) =>
  publishWithKcat(kcat as Kcat, herald.brokers, herald.topics.mention, record, compression)

withKcat('lists a mention published by kcat in structured mode with exactly its fields', () =>
  expectListed((_, event) => throughKcat(structured(event))),
)

withKcat('lists a mention published by kcat in binary mode with exactly its fields', () =>
  expectListed((_, event) => throughKcat(binary(event))),
)

// Large enough that kcat compresses it.
const padded = (event: Event) => ({ ...event, padding: 'unknown '.repeat(1_000) })

withKcat.each(['gzip', 'snappy', 'lz4', 'zstd'])(
  'lists a mention published by kcat with %s compression',
  (compression) => expectListed((_, event) => throughKcat(structured(padded(event)), compression)),
)

test('lists a mention published by kafkajs in structured mode with exactly its fields', () =>
  expectListed((_, event) => herald.publish(herald.topics.mention, [structured(event)])))

test('lists a mention published by kafkajs in binary mode with exactly its fields', () =>
  expectListed((_, event) => herald.publish(herald.topics.mention, [binary(event)])))

test('the same event in structured and in binary mode creates one notification', async () => {
  const user = await herald.newUser()
  const { event, notification } = mentionAndNotification(user)
  const last = mention([user.id], { subscriberid: user.subscriberId })
  await herald.publish(herald.topics.mention, [structured(event), binary(event), structured(last)])
  await eventually(async () => (await feedOf(user)).notifications[0]?.id === derivedId(last))
  expect((await feedOf(user)).notifications.map(({ id }) => id)).toEqual([derivedId(last), notification.id])
})

test('lists a mention for the first and the last of 10,000 recipients', async () => {
  const first = await herald.newUser()
  const last = await herald.newUser({ subscriberId: first.subscriberId })
  const between = Array.from({ length: 9_998 }, () => randomUUID())
  const event = mention([first.id, ...between, last.id], { subscriberid: first.subscriberId })
  await herald.publish(herald.topics.mention, [structured(event)])
  for (const user of [first, last]) {
    await eventually(async () => (await feedOf(user)).notifications.some(({ id }) => id === derivedId(event)))
  }
})

test('accepts a time four minutes ahead of the clock', async () => {
  const user = await herald.newUser()
  const time = new Date(Date.now() + 4 * 60_000).toISOString()
  await herald.publish(herald.topics.mention, [
    structured(mention([user.id], { subscriberid: user.subscriberId, time })),
  ])
  await eventually(async () => (await feedOf(user)).notifications.length > 0)
  expect((await feedOf(user)).notifications).toMatchObject([{ createdAt: toSeconds(time) }])
})
