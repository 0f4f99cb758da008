import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody, metadata, nested } from '../support/create-body.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { expectFaultsAt } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User

beforeAll(async () => {
  herald = await startTestHerald('bodies')
  user = await herald.newUser()
})
afterAll(() => herald?.stop())

const uuids = (count: number) => Array.from({ length: count }, () => randomUUID())
const [known = ''] = uuids(1)
/** Metadata whose JSON has exactly `size` bytes. */
const metadataOf = (size: number) => {
  const without = Buffer.byteLength(JSON.stringify(metadata({}, { add: { text: '' } })))
  return metadata({}, { add: { text: 'a'.repeat(size - without) } })
}
const fields = [
  'type',
  'actorType',
  'subjectId',
  'subjectType',
  'locationId',
  'locationType',
  'metadata',
  'recipientIds',
]

test.each<[string, Record<string, unknown>, string[]]>([
  ['a field that is not known', { extra: 1 }, ['/extra']],
  [
    'the author named in the body',
    { actorId: known, subscriberId: known, actor: {} },
    ['/actor', '/actorId', '/subscriberId'],
  ],
  ['a field of metadata that is not known', { metadata: metadata({}, { extra: 1 }) }, ['/metadata/extra']],
  ['a field of mention that is not known', { metadata: metadata({ extra: 1 }) }, ['/metadata/mention/extra']],
  ['a field that needs escaping in a pointer', { 'a/b~c': 1 }, ['/a~1b~0c']],
  ['a type that is not known', { type: 'like' }, ['/type']],
  ['an actor type that is not known', { actorType: 'robot' }, ['/actorType']],
  ['an actor type as subject that is not known', { subjectType: 'User' }, ['/subjectType']],
  ['an actor type as location type', { locationType: 'user' }, ['/locationType']],
  ['a subject that is not a UUID', { subjectId: 'x' }, ['/subjectId']],
  ['a subject in an array', { subjectId: [known] }, ['/subjectId']],
  ['a location that is null', { locationId: null }, ['/locationId']],
  ['no recipients', { recipientIds: [] }, ['/recipientIds']],
  ['1,001 recipients', { recipientIds: uuids(1_001) }, ['/recipientIds']],
  ['recipients that are a text', { recipientIds: known }, ['/recipientIds']],
  ['a recipient that is not a UUID', { recipientIds: [known, 'x'] }, ['/recipientIds/1']],
  ['a recipient named twice', { recipientIds: [known, randomUUID(), known] }, ['/recipientIds/2']],
  ['a recipient named again in upper case', { recipientIds: [known, known.toUpperCase()] }, ['/recipientIds/1']],
  [
    'a snippet of 2,001 characters',
    { metadata: metadata({ snippet: 'x'.repeat(2_001) }) },
    ['/metadata/mention/snippet'],
  ],
  [
    'a name of 201 characters',
    { metadata: metadata({ mentionerName: '🦊'.repeat(201) }) },
    ['/metadata/mention/mentionerName'],
  ],
  ['a mention of no place', { metadata: metadata({ entityType: undefined }) }, ['/metadata/mention']],
  ['add that is an array', { metadata: metadata({}, { add: [] }) }, ['/metadata/add']],
  ['edit that is null', { metadata: metadata({}, { edit: null }) }, ['/metadata/edit']],
  ['metadata of more than 16 KiB', { metadata: metadataOf(16 * 1024 + 1) }, ['/metadata']],
  ['metadata of more than 16 levels', { metadata: metadata({}, { add: nested(16) }) }, ['/metadata']],
])('%s is refused, and the answer says where', async (_, given, pointers) => {
  expectFaultsAt(await user.post('/', createBody([randomUUID()], given)), pointers)
})

test('every missing field is named at once', async () => {
  expectFaultsAt(
    await user.post('/', {}),
    fields.map((field) => `/${field}`),
  )
})

test('every fault is named at once', async () => {
  const given = { type: 'like', subjectId: 7, extra: 1, metadata: { mention: { snippet: 1, entityType: 2 } } }
  const answer = await user.post('/', createBody([randomUUID(), 'x', 'y'], given))
  const inMention = ['mentionerName', 'snippet', 'entityType'].map((field) => `/metadata/mention/${field}`)
  expectFaultsAt(answer, ['/type', '/subjectId', '/extra', '/recipientIds/1', '/recipientIds/2', ...inMention])
})

test.each([[null], [[]], ['text'], [7]])('a body that is %j is refused as a whole', async (body) => {
  expectFaultsAt(
    await user.send('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      raw: JSON.stringify(body),
    }),
    [''],
  )
})

test.each<[string, Record<string, unknown>]>([
  ['1,000 recipients', { recipientIds: uuids(1_000) }],
  ['a snippet of 2,000 characters beyond the basic plane', { metadata: metadata({ snippet: '🦊'.repeat(2_000) }) }],
  ['a name of 200 characters', { metadata: metadata({ mentionerName: 'ß'.repeat(200) }) }],
  ['metadata of 16 KiB', { metadata: metadataOf(16 * 1024) }],
  ['metadata of 16 levels', { metadata: metadata({}, { edit: nested(15) }) }],
])('%s are taken, and come back', async (_, given) => {
  const answer = await user.post('/', createBody([randomUUID()], given))
  expect(answer.status).toBe(201)
  const { recipientIds, ...others } = given
  expect(answer.json).toMatchObject({ data: others })
  if (recipientIds) {
    const recipients = (recipientIds as string[]).map((recipientId) => ({ recipientId }))
    expect(answer.json).toMatchObject({ data: { recipients } })
  }
})
