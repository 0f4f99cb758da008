import { expect, test } from '@jest/globals'
import { toValidationIssues } from '../base/zod-issues.ts'
import { createNotificationSchema } from './notification.ts'

const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`

const body = (changes: Record<string, unknown> = {}) => ({
  type: 'mention',
  actorType: 'user',
  subjectId: uuid(1),
  subjectType: 'user',
  locationId: uuid(2),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' } },
  recipientIds: [uuid(3)],
  ...changes,
})

const issuesOf = (input: unknown) => {
  const result = createNotificationSchema.safeParse(input)
  return result.success ? [] : toValidationIssues(result.error).map(({ pointer }) => pointer)
}

const mention = (changes: Record<string, unknown>) => ({
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio', ...changes } },
})

test('defaults add and edit to empty objects, and passes given ones on unchanged', () => {
  expect(createNotificationSchema.parse(body()).metadata).toMatchObject({ add: {}, edit: {} })
  const add = JSON.parse('{"$set":1,"a.b":{"constructor":null},"":[],"_bsontype":"Long"}')
  const metadata = { ...mention({}).metadata, add }
  expect(JSON.stringify(createNotificationSchema.parse(body({ metadata })).metadata.add)).toBe(JSON.stringify(add))
})

test('parses identifiers to lower case', () => {
  expect(createNotificationSchema.parse(body({ subjectId: uuid(10).toUpperCase() })).subjectId).toBe(uuid(10))
})

test.each([
  ['an unknown field', { extra: 1 }, ['/extra']],
  ['an actor', { actorId: uuid(9) }, ['/actorId']],
  ['an unknown type', { type: 'like' }, ['/type']],
  ['an invalid location type', { locationType: 'user' }, ['/locationType']],
  ['a malformed identifier', { subjectId: 'nope' }, ['/subjectId']],
  ['no recipients', { recipientIds: [] }, ['/recipientIds']],
  ['a duplicate recipient', { recipientIds: [uuid(3), uuid(3).toUpperCase()] }, ['/recipientIds/1']],
  ['1,001 recipients', { recipientIds: Array.from({ length: 1_001 }, (_, n) => uuid(n)) }, ['/recipientIds']],
  ['a long snippet', mention({ snippet: 'x'.repeat(2_001) }), ['/metadata/mention/snippet']],
  ['a long name', mention({ mentionerName: 'x'.repeat(201) }), ['/metadata/mention/mentionerName']],
  ['neither entity nor anchor', mention({ entityType: undefined }), ['/metadata/mention']],
  ['an array as free-form object', { metadata: { ...mention({}).metadata, add: [] } }, ['/metadata/add']],
  ['large metadata', { metadata: { ...mention({}).metadata, add: { a: 'x'.repeat(16_384) } } }, ['/metadata']],
  ['null as a string', mention({ anchorId: null }), ['/metadata/mention/anchorId']],
])('rejects %s', (_, changes, pointers) => {
  expect(issuesOf(body(changes))).toEqual(pointers)
})

test('counts Unicode characters instead of UTF-16 units', () => {
  expect(issuesOf(body(mention({ snippet: '🔑'.repeat(2_000) })))).toEqual([])
  expect(issuesOf(body(mention({ snippet: '🔑'.repeat(2_001) })))).toEqual(['/metadata/mention/snippet'])
})

test('accepts metadata with 16 levels and rejects 17', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
  const metadata = (levels: number) => ({ metadata: { ...mention({}).metadata, edit: nested(levels) } })
  expect(issuesOf(body(metadata(15)))).toEqual([])
  expect(issuesOf(body(metadata(16)))).toEqual(['/metadata'])
})

test('reports all errors at once', () => {
  expect(issuesOf({ extra: 1, recipientIds: ['x'] }).sort()).toEqual(
    ['/actorType', '/extra', '/locationId', '/locationType', '/metadata', '/recipientIds/0'].concat(
      ['/subjectId', '/subjectType', '/type'].sort(),
    ),
  )
})
