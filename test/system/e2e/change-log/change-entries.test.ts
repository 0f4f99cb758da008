import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { binary, change, structured, timesUntilNow } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { expectProblem } from '../support/problem.ts'
import { type ChangeEntry, toSeconds } from '../support/spec-shapes.ts'
import { countStored } from '../support/stored.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const newReader = (given: Record<string, string> = {}) => herald.newUser({ scope: 'change-entries:read', ...given })

async function entriesOf(reader: User): Promise<ChangeEntry[]> {
  const answer = await reader.get('/change-entries/all')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
  const document = answer.json as { data: ChangeEntry[] }
  expect(document).toStrictEqual({ data: expect.any(Array) })
  return document.data
}

test('returns all 3,000 entries of the subscriber, newest first, and none of another subscriber', async () => {
  const [ours, theirs] = [await newReader(), await newReader()]
  const times = timesUntilNow(3_000)
  const ourEvents = times.map((time) => change({ subscriberid: ours.subscriberId, time }))
  const theirEvents = times.slice(0, 50).map((time) => change({ subscriberid: theirs.subscriberId, time }))
  await herald.publish(herald.topics.change, theirEvents.map(structured))
  await herald.publish(herald.topics.change, ourEvents.map(structured))
  await eventually(async () => (await countStored(herald.database, theirs.subscriberId)) === 50)
  await eventually(async () => (await countStored(herald.database, ours.subscriberId)) === 3_000)

  const entries = await entriesOf(ours)
  expect(entries.map(({ id }) => id)).toEqual(ourEvents.map(derivedId).reverse())
  expect((await entriesOf(theirs)).map(({ id }) => id)).toEqual(theirEvents.map(derivedId).reverse())
})

test.each([
  ['structured', structured],
  ['binary', binary],
])('an entry published in %s mode has exactly the specified fields', async (_, encode) => {
  const reader = await newReader()
  const attributes = { subscriberid: reader.subscriberId, time: '2026-02-28T23:59:59.999-02:00', extra: 'unknown' }
  const fields = {
    user: { id: randomUUID(), name: 'Zoë', email: '' },
    entityType: 'portfolio',
    entityId: 'not/a uuid',
    entityTitle: '株',
    actionType: 'rename',
    changedField: 'a.b',
    beforeState: { title: 'Old' },
    afterState: ['New'],
  }
  const event = change(attributes, { ...fields, user: { ...fields.user, phone: 'unknown' }, unknown: 1 })
  await herald.publish(herald.topics.change, [encode(event)])
  await eventually(async () => (await entriesOf(reader)).length > 0)
  const createdAt = toSeconds(event.time)
  expect(createdAt).toBe('2026-03-01T01:59:59Z')
  expect(await entriesOf(reader)).toStrictEqual([{ ...fields, id: derivedId(event), createdAt }])
})

const states: Record<string, unknown> = {
  null: null,
  true: true,
  zero: 0,
  number: -1.5e-7,
  'large number': 1.7976931348623157e308,
  'empty text': '',
  text: 'a\u0000b \u2028 "\\" 🦊',
  'empty array': [],
  array: [null, [1, ['two']], { three: 3 }],
  'empty object': {},
  'keys with a meaning in MongoDB': {
    $set: { x: 1 },
    'a.b': 1,
    $ref: 'c',
    $id: 'i',
    $db: 'd',
    _bsontype: 'ObjectId',
    $where: '1',
  },
  'keys with a meaning in JavaScript': {
    constructor: { prototype: 1 },
    toString: 1,
    hasOwnProperty: 2,
    toJSON: 'x',
    length: 3,
  },
  'empty key': { '': { '': '' } },
  'keys that are not sorted': { zulu: 1, alpha: 2, Mike: { b: 1, a: 2 }, ü: 3 },
  'deeply nested': JSON.parse(`${'{"a":['.repeat(25)}1${']}'.repeat(25)}`),
}

test.each(Object.keys(states))('returns a state unchanged: %s', async (name) => {
  const reader = await newReader()
  const state = states[name]
  const event = change({ subscriberid: reader.subscriberId }, { beforeState: state, afterState: { wrapped: state } })
  await herald.publish(herald.topics.change, [structured(event)])
  const [entry] = await eventually(async () => {
    const entries = await entriesOf(reader)
    return entries.length > 0 && entries
  })
  expect(JSON.stringify(entry?.beforeState)).toBe(JSON.stringify(state))
  expect(JSON.stringify(entry?.afterState)).toBe(JSON.stringify({ wrapped: state }))
})

test('stores an event of exactly 1 MiB completely', async () => {
  const reader = await newReader()
  const sized = (size: number) => change({ subscriberid: reader.subscriberId }, { afterState: 'x'.repeat(size) })
  const event = sized(1024 * 1024 - Buffer.byteLength(JSON.stringify(sized(0))))
  expect(structured(event).value).toHaveLength(1024 * 1024)
  await herald.publish(herald.topics.change, [structured(event)])
  await eventually(async () => (await entriesOf(reader)).length > 0)
  expect(await entriesOf(reader)).toMatchObject([{ afterState: event.data.afterState }])
})

test('returns null for an absent state', async () => {
  const reader = await newReader()
  const absent = { beforeState: undefined, afterState: undefined }
  await herald.publish(herald.topics.change, [structured(change({ subscriberid: reader.subscriberId }, absent))])
  await eventually(async () => (await entriesOf(reader)).length > 0)
  expect(await entriesOf(reader)).toMatchObject([{ beforeState: null, afterState: null }])
})

test('returns an empty list for a subscriber without entries', async () => {
  expect(await entriesOf(await newReader())).toEqual([])
})

test('returns 403 for a token without the scope change-entries:read', async () => {
  const user = await herald.newUser({ scope: 'notifications:create' })
  expectProblem(await user.get('/change-entries/all'), 403, 'missing_scope')
  expectProblem(await (await herald.newUser({ scope: undefined })).get('/change-entries/all'), 403, 'missing_scope')
})
