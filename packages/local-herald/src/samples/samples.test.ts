import { defaultTopics } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { binaryMessage, structuredMessage } from './cloud-events.ts'
import { createSampleAccount, sampleChanges, sampleMentions } from './samples.ts'

const now = new Date('2026-01-02T03:04:05.678Z')
const account = createSampleAccount()
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

test('mentions everyone who can sign in except the author', () => {
  const mentions = sampleMentions(account, defaultTopics, now)
  expect(mentions).toHaveLength(24)
  expect(new Set(mentions.map(({ event }) => event.id)).size).toBe(24)
  expect(mentions.map(({ event }) => event.time.getTime())).toEqual(
    Array.from({ length: 24 }, (_, index) => now.getTime() - index * 23 * 60_000),
  )
  const [amara, jonas, mei] = account.people.map(({ id }) => id)
  const envelope = { type: 'herald.mention.created.v1', subscriberId: account.subscriberId }
  expect(mentions[4]).toMatchObject({
    topic: 'mention-events',
    event: { ...envelope, data: { actorType: 'ai user', recipientIds: [amara, jonas, mei] } },
  })
  expect(mentions[2]).toMatchObject({ event: { data: { actor: { id: mei }, recipientIds: [amara, jonas] } } })
  expect([mei, amara]).toEqual([account.userId, account.otherUserId])
})

test('uses the pictures of the page', () => {
  const [amara, , , diego] = createSampleAccount('http://here/people').people
  expect([amara?.image, diego?.image]).toEqual(['http://here/people/amara.svg', ''])
})

test('creates changes with the states before and after', () => {
  const changes = sampleChanges(account, defaultTopics, now)
  expect(changes).toHaveLength(50)
  expect(changes[1]).toMatchObject({
    topic: 'change-events',
    event: {
      type: 'herald.change.recorded.v1',
      data: { changedField: 'status', actionType: 'update', beforeState: 'draft', afterState: 'in review' },
    },
  })
})

test('encodes an event in both modes', () => {
  const event = { id: 'one', source: '/here', type: 'some.type.v1', time: now, subscriberId: 'two', data: { a: 1 } }
  expect(structuredMessage(event)).toEqual({
    key: 'two',
    value:
      '{"specversion":"1.0","id":"one","source":"/here","type":"some.type.v1","time":"2026-01-02T03:04:05.678Z","subscriberid":"two","datacontenttype":"application/json","data":{"a":1}}',
    headers: { 'content-type': 'application/cloudevents+json' },
  })
  expect(binaryMessage(event)).toEqual({
    key: 'two',
    value: '{"a":1}',
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: 'one',
      ce_source: '/here',
      ce_type: 'some.type.v1',
      ce_time: '2026-01-02T03:04:05.678Z',
      ce_subscriberid: 'two',
    },
  })
})

test('creates a new account each time', () => {
  const other = createSampleAccount()
  expect(other.subscriberId).toMatch(uuid)
  expect(other.subscriberId).not.toBe(account.subscriberId)
})
