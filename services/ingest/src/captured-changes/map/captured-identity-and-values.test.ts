import { deriveSubscriberId } from '@herald/contracts'
import { describe, expect, test } from '@jest/globals'
import { decide, entriesOf, envelopeOf, mongoEnvelopeOf, recordOf, rowOf, userId } from '../records.fixture.ts'

describe('mapped values', () => {
  const created = (row: Record<string, unknown>) =>
    recordOf(envelopeOf({ op: 'c', before: null, after: { ...rowOf(), ...row } }))

  test('come from nested fields, lists of names and constants', () => {
    const record = created({ a: { b: { c: 'deep' } }, 'x.y': 'dotted' })
    expect(
      entriesOf(record, { entityId: 'a.b.c', entityTitle: ['x.y'], user: { id: { constant: userId }, name: 'name' } }),
    ).toMatchObject([{ entityId: 'deep', entityTitle: 'dotted', user: { id: userId, name: 'Ada' } }])
  })

  test('are texts: numbers and composite ids in canonical form', () => {
    expect(entriesOf(created({ id: 5 }))).toMatchObject([{ entityId: '5' }])
    expect(entriesOf(created({ id: { b: 1, a: 'x' } }))).toMatchObject([{ entityId: '{"a":"x","b":1}' }])
  })

  const tenant = '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9'
  const asBytes = { subscriberId: { id: 'tenant', as: 'uuid-bytes' }, user: { id: 'changed_by', as: 'uuid-bytes' } }
  test.each([
    ['base64', 'bx4tPEtaSXiGlaSzwtHg+Q=='],
    ['base64url', 'bx4tPEtaSXiGlaSzwtHg-Q'],
    ['hexadecimal', '6F1E2d3c4b5a49788695a4b3c2d1e0f9'],
    ['text', tenant.toUpperCase()],
  ])('are UUIDs of 16 bytes: %s', (_form, bytes) => {
    const entries = entriesOf(created({ tenant: bytes, changed_by: bytes }), asBytes)
    expect(entries).toMatchObject([{ subscriberId: tenant, user: { id: tenant } }])
  })

  test.each(['03', '04', '00'])('are UUIDs of a binary of MongoDB, subtype %s', (subtype) => {
    const after = rowOf({ _id: 1, tenant: { $binary: 'bx4tPEtaSXiGlaSzwtHg+Q==', $type: subtype } })
    const entries = entriesOf(recordOf(mongoEnvelopeOf({ op: 'c', after })), { subscriberId: asBytes.subscriberId })
    expect(entries).toMatchObject([{ subscriberId: tenant }])
  })

  test('are UUIDs that are derived from another key', () => {
    const derived = { subscriberId: { id: 'tenant', derive: true } }
    expect(entriesOf(created({ tenant: 42 }), derived)).toMatchObject([{ subscriberId: deriveSubscriberId('42') }])
    expect(entriesOf(created({ tenant }), derived)).toMatchObject([{ subscriberId: tenant }])
  })

  test.each([
    [{ tenant: 'bx4tPEtaSXiGlaSzwtHg+Q==' }, 'subscriber_missing', /as: uuid-bytes.*derive: true/],
    [{ tenant: 42 }, 'subscriber_missing', /derive: true/],
    [{ changed_by: '6f1e2d3c4b5a49788695a4b3c2d1e0f9' }, 'user_missing', /as: uuid-bytes.*derive: true/],
    [{ changed_by: 'ada' }, 'user_missing', /derive: true/],
  ])('that are refused name the remedy: %j', (row, code, detail) => {
    expect(decide(created(row))).toMatchObject({ code, detail: expect.stringMatching(detail) })
  })

  test('may be empty as a title', () => {
    expect(entriesOf(created({ name: null }))).toMatchObject([{ entityTitle: '' }])
  })

  test.each([
    ['subscriber_missing', { tenant: null }, {}],
    ['subscriber_missing', { tenant: 'acme' }, {}],
    ['subscriber_missing', {}, { subscriberId: 'none' }],
    ['user_missing', { changed_by: null }, {}],
    ['user_missing', { changed_by: 'ada' }, {}],
    ['mapping_failed', { id: null }, {}],
    ['mapping_failed', {}, { entityId: 'id.no' }],
    ['mapping_failed', {}, { entityTitle: 'nmae' }],
    ['mapping_failed', { name: 'x'.repeat(2_001) }, {}],
  ])('that are missing or invalid are %s: %j, %j', (code, row, mapping) => {
    expect(decide(created(row), mapping)).toMatchObject({ code })
  })

  test('are too long as composite values', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n]))
    expect(decide(created({ id: many }))).toMatchObject({ code: 'mapping_failed' })
    const user = { id: 'changed_by', derive: true }
    expect(decide(created({ changed_by: many }), { user })).toMatchObject({ code: 'mapping_failed' })
  })

  test('never quote the row', () => {
    const decision = decide(created({ tenant: 'secret-value' }))
    expect(JSON.stringify(decision)).not.toContain('secret-value')
  })

  test('derive an id for a user without a UUID', () => {
    const user = { id: 'changed_by', derive: true }
    const [entry] = entriesOf(created({ changed_by: 'ada' }), { user })
    expect(entry?.user.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(entriesOf(created({ changed_by: userId.toUpperCase() }), { user })).toMatchObject([{ user: { id: userId } }])
  })
})

describe('the time', () => {
  const record = recordOf(envelopeOf({ op: 'c', before: null }))

  test('must not be in the future', () => {
    const future = recordOf(envelopeOf({ op: 'c', before: null }, { ts_ms: Date.parse('2026-02-01T00:05:01Z') }))
    expect(decide(future)).toMatchObject({ code: 'future_time' })
  })

  test('before the retention period makes the change expire', () => {
    expect(decide(record, {}, new Date('2026-01-15T00:00:00Z'))).toEqual({ kind: 'expired' })
    expect(decide(record, {}, new Date('2025-12-15T00:00:00Z'))).toMatchObject({ kind: 'change-entries' })
  })
})

describe('the identity', () => {
  const idOf = (
    changes: Record<string, unknown>,
    source: Record<string, unknown> = {},
    key: Parameters<typeof recordOf>[1] = { id: 1 },
  ) =>
    entriesOf(recordOf(envelopeOf({ op: 'c', before: null, ...changes }, source), key), { snapshot: 'record' })[0]?.id

  test('does not depend on when the connector delivered the change', () => {
    expect(idOf({ ts_ms: 1 })).toBe(idOf({ ts_ms: 2 }))
  })

  test('differs by position, operation, key, table and logical name', () => {
    const ids = [
      idOf({}),
      idOf({}, { lsn: 26_780_401 }),
      idOf({ op: 'r' }),
      idOf({}, {}, { id: 2 }),
      idOf({}, { table: 'other' }),
      idOf({}, { name: 'other' }),
      idOf({}, { schema: 'a', table: 'b/c' }),
      idOf({}, { schema: 'a/b', table: 'c' }),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has a large position without loss', () => {
    const id = (lsn: string) => {
      const value = JSON.stringify(envelopeOf({ op: 'c', before: null })).replace('26780400', lsn)
      return entriesOf(recordOf(value))[0]?.id
    }
    expect(id('9007199254740993')).not.toBe(id('9007199254740992'))
  })

  test('needs a key of at most 16 KiB, in a record key of at most 64 KiB', () => {
    const value = envelopeOf({ op: 'c', before: null })
    expect(decide(recordOf(value, { id: 'x'.repeat(16_000) }))).toMatchObject({ kind: 'change-entries' })
    expect(decide(recordOf(value, { id: 'x'.repeat(17_000) }))).toMatchObject({ code: 'record_too_large' })
    const schema = { type: 'struct', doc: 'x'.repeat(60_000) }
    expect(decide(recordOf(value, { schema, payload: { id: 1 } }))).toMatchObject({ kind: 'change-entries' })
    expect(decide(recordOf(value, { schema, payload: { id: 'x'.repeat(6_000) } }))).toMatchObject({
      code: 'record_too_large',
    })
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['the id of a transaction', { transaction: { id: 'x'.repeat(17_000), total_order: 1 } }, {}],
    ['the name of a table', {}, { table: 'x'.repeat(17_000) }],
    ['the file of a binlog', {}, { connector: 'mysql', schema: null, file: 'x'.repeat(17_000), pos: 1, row: 0 }],
  ])('is limited with %s', (_name, changes, source) => {
    expect(decide(recordOf(envelopeOf({ op: 'c', before: null, ...changes }, source)))).toMatchObject({
      code: 'record_too_large',
    })
  })

  test('needs a key, or the position in a transaction', () => {
    const value = { op: 'c', before: null }
    expect(decide(recordOf(envelopeOf(value), null))).toMatchObject({ code: 'key_missing' })
    const transaction = { id: '815:27346208', total_order: 1 }
    expect(idOf({ transaction }, {}, null)).toBe(idOf({ transaction }))
    const maria = { connector: 'mariadb', schema: undefined, lsn: undefined, file: 'bin.1', pos: 5, row: 0 }
    expect(idOf({}, maria, null)).not.toBe(idOf({}, { ...maria, row: 1 }, null))
    expect(decide(recordOf(envelopeOf({ ...value, op: 'r' }, maria), null), { snapshot: 'record' })).toMatchObject({
      code: 'key_missing',
    })
  })
})
