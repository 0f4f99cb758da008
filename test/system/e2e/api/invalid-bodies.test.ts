import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody, metadata, nested } from '../support/create-body.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { expectValidationIssues } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User

beforeAll(async () => {
  herald = await useSharedHerald()
  user = await herald.newUser()
})
afterAll(() => herald?.disconnect())

const uuids = (count: number) => Array.from({ length: count }, () => randomUUID())
const [known = ''] = uuids(1)
/** Metadata of exactly `size` bytes as JSON. */
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
  ['an unknown field', { extra: 1 }, ['/extra']],
  [
    'an author in the body',
    { actorId: known, subscriberId: known, actor: {} },
    ['/actor', '/actorId', '/subscriberId'],
  ],
  ['an unknown field of metadata', { metadata: metadata({}, { extra: 1 }) }, ['/metadata/extra']],
  ['an unknown field of mention', { metadata: metadata({ extra: 1 }) }, ['/metadata/mention/extra']],
  ['an unknown field that needs escaping in a pointer', { 'a/b~c': 1 }, ['/a~1b~0c']],
  ['an unknown type', { type: 'like' }, ['/type']],
  ['an unknown actor type', { actorType: 'robot' }, ['/actorType']],
  ['an unknown subject type', { subjectType: 'User' }, ['/subjectType']],
  ['an actor type as location type', { locationType: 'user' }, ['/locationType']],
  ['a subject that is not a UUID', { subjectId: 'x' }, ['/subjectId']],
  ['a subject in an array', { subjectId: [known] }, ['/subjectId']],
  ['a location that is null', { locationId: null }, ['/locationId']],
  ['no recipients', { recipientIds: [] }, ['/recipientIds']],
  ['1,001 recipients', { recipientIds: uuids(1_001) }, ['/recipientIds']],
  ['recipients that are a string', { recipientIds: known }, ['/recipientIds']],
  ['a recipient that is not a UUID', { recipientIds: [known, 'x'] }, ['/recipientIds/1']],
  ['a duplicate recipient', { recipientIds: [known, randomUUID(), known] }, ['/recipientIds/2']],
  ['a duplicate recipient in upper case', { recipientIds: [known, known.toUpperCase()] }, ['/recipientIds/1']],
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
  [
    'a mention without entityType and anchorId',
    { metadata: metadata({ entityType: undefined }) },
    ['/metadata/mention'],
  ],
  ['an add that is an array', { metadata: metadata({}, { add: [] }) }, ['/metadata/add']],
  ['an edit that is null', { metadata: metadata({}, { edit: null }) }, ['/metadata/edit']],
  ['metadata of more than 16 KiB', { metadata: metadataOf(16 * 1024 + 1) }, ['/metadata']],
  ['metadata of more than 16 levels', { metadata: metadata({}, { add: nested(16) }) }, ['/metadata']],
])('reports the pointer of %s', async (_, overrides, pointers) => {
  expectValidationIssues(await user.post('/', createBody([randomUUID()], overrides)), pointers)
})

test('reports all missing fields at once', async () => {
  expectValidationIssues(
    await user.post('/', {}),
    fields.map((field) => `/${field}`),
  )
})

test('reports all issues at once', async () => {
  const given = { type: 'like', subjectId: 7, extra: 1, metadata: { mention: { snippet: 1, entityType: 2 } } }
  const answer = await user.post('/', createBody([randomUUID(), 'x', 'y'], given))
  const inMention = ['mentionerName', 'snippet', 'entityType'].map((field) => `/metadata/mention/${field}`)
  expectValidationIssues(answer, ['/type', '/subjectId', '/extra', '/recipientIds/1', '/recipientIds/2', ...inMention])
})

test.each([[null], [[]], ['text'], [7]])('rejects the body %j as a whole', async (body) => {
  expectValidationIssues(
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
])('accepts and returns %s', async (_, given) => {
  const answer = await user.post('/', createBody([randomUUID()], given))
  expect(answer.status).toBe(201)
  const { recipientIds, ...others } = given
  expect(answer.json).toMatchObject({ data: others })
  if (recipientIds) {
    const recipients = (recipientIds as string[]).map((recipientId) => ({ recipientId }))
    expect(answer.json).toMatchObject({ data: { recipients } })
  }
})
