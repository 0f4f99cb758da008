import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { toValidationIssues } from '../base/zod-issues.ts'
import { cloudEventAttributesSchema } from './cloud-event.ts'
import { events } from './events.ts'

const changeRecordedSchema = events.changeRecorded.data
const mentionCreatedSchema = events.mentionCreated.data
const mentionRetractedSchema = events.mentionRetracted.data

const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`

const mention = (changes: Record<string, unknown> = {}) => ({
  actor: { id: uuid(1), name: 'Ada', image: '' },
  actorType: 'user',
  subjectId: uuid(2),
  subjectType: 'user',
  locationId: uuid(3),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', anchorId: 'a' }, add: {}, edit: {} },
  recipientIds: [uuid(4)],
  ...changes,
})

const change = (changes: Record<string, unknown> = {}) => ({
  user: { id: uuid(1), name: 'Ada', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: '',
  actionType: 'update',
  changedField: 'name',
  ...changes,
})

const manyIds = (count: number) => Array.from({ length: count }, (_, n) => uuid(n))

test.each([
  ['attributes', cloudEventAttributesSchema],
  ['mentions', mentionCreatedSchema],
  ['changes', changeRecordedSchema],
])('zod can compile the schema of %s: otherwise it would silently be slow', (_, schema) => {
  expect(() => z.compile(schema, { strict: true })).not.toThrow()
})

describe('a mention', () => {
  const issuesOf = (changes: Record<string, unknown>) => {
    const parsed = mentionCreatedSchema.safeParse(mention(changes))
    return parsed.success ? [] : toValidationIssues(parsed.error).map(({ pointer }) => pointer)
  }

  test('may have unknown fields at every level', () => {
    const { metadata, actor } = mention()
    const extended = {
      actor: { ...actor, nickname: 'A' },
      metadata: { ...metadata, mention: { ...metadata.mention, mood: 'x' }, more: {} },
      more: 1,
    }
    expect(mentionCreatedSchema.parse(mention(extended))).toEqual(mention())
  })

  test('drops duplicate recipients case-insensitively, keeping the order', () => {
    const recipientIds = [uuid(11), uuid(10).toUpperCase(), uuid(11).toUpperCase(), uuid(10)]
    expect(mentionCreatedSchema.parse(mention({ recipientIds })).recipientIds).toEqual([uuid(11), uuid(10)])
  })

  test('has 1 to 10,000 recipients, not counting duplicates', () => {
    expect(issuesOf({ recipientIds: manyIds(10_000) })).toEqual([])
    expect(issuesOf({ recipientIds: [...manyIds(10_000), ...manyIds(10_000)] })).toEqual([])
    expect(issuesOf({ recipientIds: manyIds(10_001) })).toEqual(['/recipientIds'])
    expect(issuesOf({ recipientIds: [] })).toEqual(['/recipientIds'])
  })

  test.each([
    [{ actor: { id: uuid(1), name: 'x'.repeat(201), image: '' } }, '/actor/name'],
    [{ actor: { id: uuid(1), name: '', image: 'x'.repeat(2_049) } }, '/actor/image'],
    [{ actor: { id: 'x', name: '', image: '' } }, '/actor/id'],
    [{ actorType: 'comment' }, '/actorType'],
    [{ subjectType: 'team' }, '/subjectType'],
    [{ locationType: 'ai user' }, '/locationType'],
    [{ subjectId: null }, '/subjectId'],
    [{ recipientIds: [uuid(1), 'x'] }, '/recipientIds/1'],
    [{ metadata: { mention: { mentionerName: '', snippet: '' } } }, '/metadata/mention'],
    [{ metadata: { ...mention().metadata, add: [] } }, '/metadata/add'],
    [{ metadata: { ...mention().metadata, edit: { a: 'x'.repeat(16_384) } } }, '/metadata'],
  ])('with %j is rejected', (changes, pointer) => {
    expect(issuesOf(changes)).toEqual([pointer])
  })
})

describe('a change', () => {
  test.each([[null], [false], [0], [''], [[]], [{ $set: 1 }]])('may have the state %j', (state) => {
    const parsed = changeRecordedSchema.parse(change({ beforeState: state, afterState: state }))
    expect([parsed.beforeState, parsed.afterState]).toEqual([state, state])
  })

  test('has the state null if it is absent', () => {
    expect(changeRecordedSchema.parse(change())).toEqual(change({ beforeState: null, afterState: null }))
  })

  test('passes states on without copying them', () => {
    const state = JSON.parse('{"z":1,"a":2,"$set":{},"":null,"constructor":{"prototype":1}}')
    expect(changeRecordedSchema.parse(change({ afterState: state })).afterState).toBe(state)
  })

  test('may have unknown fields', () => {
    const { user } = change()
    const extended = { more: 1, user: { ...user, phone: '1' }, beforeState: null, afterState: null }
    expect(changeRecordedSchema.parse(change(extended))).toEqual(change({ beforeState: null, afterState: null }))
  })

  test.each(['user', 'entityType', 'entityId', 'entityTitle', 'actionType', 'changedField'])('requires %s', (field) => {
    const parsed = changeRecordedSchema.safeParse(change({ [field]: undefined }))
    expect(parsed.error && toValidationIssues(parsed.error).map(({ pointer }) => pointer)).toEqual([`/${field}`])
  })
})

describe('a retraction', () => {
  const location = { locationType: 'comment', locationId: uuid(3) }

  test.each([
    [{ notificationId: uuid(1).toUpperCase(), more: 1 }, { notificationId: uuid(1) }],
    [location, location],
    [
      { ...location, recipientIds: [uuid(10).toUpperCase(), uuid(10)] },
      { ...location, recipientIds: [uuid(10)] },
    ],
    [
      { ...location, recipientIds: manyIds(10_000) },
      { ...location, recipientIds: manyIds(10_000) },
    ],
  ])('may name a notification or a location', (data, expected) => {
    expect(mentionRetractedSchema.parse(data)).toEqual(expected)
  })

  test.each([
    [{}, ''],
    [{ notificationId: uuid(1), ...location }, ''],
    [{ notificationId: uuid(1), locationId: uuid(3) }, ''],
    [{ locationId: uuid(3) }, '/locationType'],
    [{ locationType: 'comment' }, '/locationId'],
    [{ notificationId: 'x' }, '/notificationId'],
    [{ notificationId: null }, '/notificationId'],
    [{ ...location, locationType: 'user' }, '/locationType'],
    [{ ...location, recipientIds: [] }, '/recipientIds'],
    [{ ...location, recipientIds: manyIds(10_001) }, '/recipientIds'],
    [{ ...location, recipientIds: [uuid(1), 'x'] }, '/recipientIds/1'],
  ])('is rejected if it is %j', (data, pointer) => {
    const parsed = mentionRetractedSchema.safeParse(data)
    expect(parsed.error && toValidationIssues(parsed.error).map((issue) => issue.pointer)).toEqual([pointer])
  })
})
