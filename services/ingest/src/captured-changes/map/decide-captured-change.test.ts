import { describe, expect, test } from '@jest/globals'
import {
  decide,
  entriesOf,
  envelopeOf,
  mappingOf,
  mongoEnvelopeOf,
  now,
  recordOf,
  rowOf,
  subscriberId,
  userId,
} from '../records.fixture.ts'
import { createDecideCapturedChange } from './decide-captured-change.ts'

const changesOf = (...args: Parameters<typeof entriesOf>) =>
  entriesOf(...args).map(({ changedField, beforeState, afterState }) => [changedField, beforeState, afterState])

describe('an update', () => {
  test('makes one entry for each changed field', () => {
    const record = recordOf(envelopeOf({ after: rowOf({ name: 'Bo', email: 'bo@example.org' }) }))
    const entries = entriesOf(record)
    expect(entries).toMatchObject([
      { actionType: 'update', changedField: 'name', beforeState: '"Ada"', afterState: '"Bo"' },
      { actionType: 'update', changedField: 'email', beforeState: 'null', afterState: '"bo@example.org"' },
    ])
    for (const entry of entries) {
      expect(entry).toMatchObject({
        subscriberId,
        entityType: 'customer',
        entityId: '1',
        entityTitle: 'Bo',
        user: { id: userId, name: '', email: '' },
        createdAt: new Date(1_767_225_600_123),
      })
    }
    expect(entries[0]?.id).not.toBe(entries[1]?.id)
  })

  test('that changes nothing, or only ignored fields, makes no entry', () => {
    expect(decide(recordOf(envelopeOf({})))).toEqual({ kind: 'skipped', reason: 'unchanged' })
    const record = recordOf(envelopeOf({ after: rowOf({ email: 'x' }) }))
    expect(decide(record, { ignore: ['email'] })).toEqual({ kind: 'skipped', reason: 'unchanged' })
  })

  test('compares fields as JSON values', () => {
    const before = rowOf({ a: { x: 1, y: [1, { z: null }] }, b: [1, 2] })
    const after = rowOf({ a: { y: [1, { z: null }], x: 1 }, b: [2, 1] })
    expect(changesOf(recordOf(envelopeOf({ before, after })))).toEqual([['b', '[1,2]', '[2,1]']])
  })

  test('sees the change of an integer that a double cannot hold', () => {
    const text = (n: string) => JSON.stringify(rowOf({ big: 0 })).replace('"big":0', `"big":${n}`)
    const value = JSON.stringify(envelopeOf({ before: 'B', after: 'A' }))
      .replace('"B"', text('9007199254740992'))
      .replace('"A"', text('9007199254740993'))
    expect(changesOf(recordOf(value))).toEqual([['big', '"9007199254740992"', '"9007199254740993"']])
  })

  test('treats an unavailable value as unchanged, and a former one as unknown', () => {
    const gone = '__debezium_unavailable_value'
    const record = recordOf(
      envelopeOf({ before: rowOf({ note: 'a', body: gone }), after: rowOf({ note: gone, body: 'b' }) }),
    )
    expect(changesOf(record)).toEqual([['body', 'null', '"b"']])
  })

  test('takes a mapped value from the former row if it is unavailable in the new one', () => {
    const after = rowOf({ name: '__debezium_unavailable_value', email: 'x' })
    expect(entriesOf(recordOf(envelopeOf({ after })))).toMatchObject([{ entityTitle: 'Ada', changedField: 'email' }])
  })

  test('of more than 200 fields is too much', () => {
    const fields = (value: number, count: number) =>
      rowOf(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, value])))
    const recordWith = (count: number) => recordOf(envelopeOf({ before: fields(1, count), after: fields(2, count) }))
    expect(entriesOf(recordWith(200))).toHaveLength(200)
    expect(decide(recordWith(201))).toMatchObject({ code: 'too_many_changes' })
  })

  test('of many fields is too much if each entry repeats long texts', () => {
    const fields = (value: number, count: number, name: string) =>
      rowOf({ name, ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, value])) })
    const recordWith = (count: number, name: string) =>
      recordOf(envelopeOf({ before: fields(1, count, name), after: fields(2, count, name) }))
    expect(entriesOf(recordWith(200, 'x'.repeat(250)))).toHaveLength(200)
    expect(entriesOf(recordWith(30, 'x'.repeat(2_000)))).toHaveLength(30)
    expect(decide(recordWith(40, 'x'.repeat(2_000)))).toMatchObject({ code: 'too_many_changes' })
    expect(decide(recordWith(40, 'é'.repeat(1_000)))).toMatchObject({ code: 'too_many_changes' })
  })

  test('without the former row names the setting of the database', () => {
    expect(decide(recordOf(envelopeOf({ before: null })))).toMatchObject({
      code: 'before_missing',
      detail: expect.stringContaining('REPLICA IDENTITY FULL'),
    })
    const maria = { connector: 'mariadb', schema: undefined, lsn: undefined, file: 'bin.1', pos: 5, row: 0 }
    expect(decide(recordOf(envelopeOf({ before: null }, maria)))).toMatchObject({
      code: 'before_missing',
      detail: expect.stringContaining('binlog_row_image=FULL'),
    })
  })
})

describe('a whole row', () => {
  test('that is created or deleted makes one entry with the row as a state', () => {
    const row = JSON.stringify(rowOf())
    expect(entriesOf(recordOf(envelopeOf({ op: 'c', before: null })))).toMatchObject([
      { actionType: 'create', changedField: '', beforeState: 'null', afterState: row },
    ])
    expect(entriesOf(recordOf(envelopeOf({ op: 'd', after: null })))).toMatchObject([
      { actionType: 'delete', changedField: '', beforeState: row, afterState: 'null' },
    ])
  })

  test('leaves out ignored fields and unavailable values, and hides redacted ones', () => {
    const after = rowOf({ note: ['__debezium_unavailable_value'] })
    const [entry] = entriesOf(recordOf(envelopeOf({ op: 'c', before: null, after })), {
      ignore: ['tenant', 'changed_by'],
      redact: ['email'],
    })
    expect(JSON.parse(entry?.afterState ?? '')).toEqual({ id: 1, name: 'Ada', email: '[redacted]' })
  })

  test('of a snapshot is skipped or recorded', () => {
    const record = recordOf(envelopeOf({ op: 'r', before: null }))
    expect(decide(record)).toEqual({ kind: 'skipped', reason: 'snapshot' })
    expect(entriesOf(record, { snapshot: 'record' })).toMatchObject([{ actionType: 'create', changedField: '' }])
  })
})

describe('a delete in PostgreSQL without replicaIdentity: full', () => {
  const mapping = {
    replicaIdentity: undefined,
    entityTitle: { constant: '' },
    subscriberId: { constant: subscriberId },
  }
  const constants = { ...mapping, user: { id: { constant: userId } } }
  const record = recordOf(envelopeOf({ op: 'd', after: null, before: rowOf({ id: 20, name: '' }) }), { id: 20 })

  test('has the key as its state', () => {
    expect(entriesOf(record, constants)).toMatchObject([{ entityId: '20', beforeState: '{"id":20}' }])
  })

  test('does not take mapped values from invented columns', () => {
    expect(decide(record, mapping)).toMatchObject({ code: 'user_missing' })
    expect(decide(record, { ...constants, subscriberId: 'tenant' })).toMatchObject({
      code: 'subscriber_missing',
      detail: expect.stringContaining('REPLICA IDENTITY FULL'),
    })
  })

  test.each([{ id: 0 }, { code: '', n: 0 }, null])('with the key %j is refused', (key) => {
    const zeros = recordOf(envelopeOf({ op: 'd', after: null }), key)
    expect(decide(zeros, constants)).toMatchObject({ code: 'before_missing' })
    expect(decide(zeros, { replicaIdentity: 'full' })).not.toMatchObject({ code: 'before_missing' })
  })
})

describe('an update in MongoDB', () => {
  const before = { _id: 1, name: 'a', n: 1, tenant: subscriberId, changed_by: userId }
  const mapping = { entityId: '_id' }
  const update = (after: object | null, updatedFields: object, others = {}) =>
    recordOf(
      mongoEnvelopeOf({
        before,
        after,
        updateDescription: {
          updatedFields: JSON.stringify(updatedFields),
          removedFields: null,
          truncatedArrays: null,
          ...others,
        },
      }),
      { id: '1' },
    )

  test('makes entries if after belongs to it', () => {
    expect(changesOf(update({ ...before, n: 2 }, { n: 2 }), mapping)).toEqual([['n', '1', '2']])
    const { name: _, ...rest } = before
    const nested = { ...rest, n: 2, a: { b: 1 } }
    expect(changesOf(update(nested, { n: 2, 'a.b': 1 }, { removedFields: ['name'] }), mapping)).toEqual([
      ['n', '1', '2'],
      ['a', 'null', '{"b":1}'],
      ['name', '"a"', 'null'],
    ])
  })

  test.each([
    ['another value', { ...before, n: 3 }, { n: 2 }],
    ['another field', { ...before, n: 2, name: 'b' }, { n: 2 }],
    ['no state', null, { n: 2 }],
  ])('with %s after it is refused', (_name, after, updated) => {
    expect(decide(update(after, updated), mapping)).toMatchObject({ code: 'before_missing' })
  })

  test('of an unknown form is compared all the same', () => {
    for (const updateDescription of [null, { updatedFields: '{' }, { updatedFields: 5 }]) {
      const record = recordOf(mongoEnvelopeOf({ before, after: { ...before, n: 2 }, updateDescription }), { id: '1' })
      expect(changesOf(record, mapping)).toEqual([['n', '1', '2']])
    }
  })

  test('in a transaction needs the position in it', () => {
    const source = { lsid: '{"id":1}', txnNumber: 23 }
    const changes = { before, after: { ...before, n: 2 } }
    expect(decide(recordOf(mongoEnvelopeOf(changes, source), { id: '1' }), mapping)).toMatchObject({
      code: 'transaction_order_missing',
    })
    const transaction = { id: 'x:23', total_order: 2 }
    expect(entriesOf(recordOf(mongoEnvelopeOf({ ...changes, transaction }, source), null), mapping)).toHaveLength(1)
  })
})

describe('the replica identity of PostgreSQL', () => {
  const deleted = (key: Record<string, unknown>, row: Record<string, unknown> = {}) =>
    recordOf(envelopeOf({ op: 'd', before: rowOf(row), after: null }), key as { id: number })
  const ofKey = {
    subscriberId: { constant: subscriberId },
    entityTitle: { constant: 't' },
    user: { id: { constant: userId } },
  }
  const keyOnly = { ...ofKey, replicaIdentity: undefined }

  test('a member of the key that is no column is not shown', () => {
    const record = deleted({ id: 7, __dbz__physicalTableIdentifier: 'f.public.bi' }, { id: 7 })
    expect(entriesOf(record, keyOnly)).toMatchObject([{ entityId: '7', beforeState: '{"id":7}' }])
  })

  test.each([
    ['with a member that is no column', { id: 0, __dbz__physicalTableIdentifier: 'f.public.bi' }, { id: 0 }],
    ['of other columns', { region: '', id: 9 }, { region: '', id: 9 }],
    ['without a column', { __dbz__physicalTableIdentifier: 'f.public.bi' }, {}],
  ])('a key %s that may be invented is refused', (_name, key, row) => {
    const detail = expect.stringContaining('REPLICA IDENTITY FULL')
    expect(decide(deleted(key, row), keyOnly)).toMatchObject({ kind: 'dead-letter', code: 'before_missing', detail })
  })

  test('an update without its former state proves the mapping wrong: from then on the state of a delete is the key', () => {
    const decideNext = createDecideCapturedChange(mappingOf(ofKey))
    const states = () => {
      const decision = decideNext(deleted({ id: 1 }, { name: '' }), { now })
      return decision.kind === 'change-entries' ? decision.documents.map(({ beforeState }) => beforeState) : decision
    }
    expect(states()).toEqual([expect.stringContaining('"name":""')])
    expect(decideNext(recordOf(envelopeOf({ before: null })), { now })).toMatchObject({
      code: 'before_missing',
      detail: expect.stringContaining('each partition has a replica identity of its own'),
    })
    expect(states()).toEqual(['{"id":1}'])
  })
})

describe('a snapshot', () => {
  test('is skipped, whatever its records lack', () => {
    const incremental = recordOf(envelopeOf({ op: 'r', before: null }, { lsn: null, snapshot: 'incremental' }))
    expect(decide(incremental)).toEqual({ kind: 'skipped', reason: 'snapshot' })
  })

  test('recorded anew makes other entries, even where the connector writes the time 0', () => {
    const snapshotAt = (ts_ms: number) =>
      recordOf(mongoEnvelopeOf({ op: 'r', after: rowOf({ _id: 1 }), ts_ms }, { ts_ms: 0, ord: -1, snapshot: 'true' }))
    const [first, second] = [1_767_225_600_000, 1_767_312_000_000].map((time) =>
      entriesOf(snapshotAt(time), { snapshot: 'record' }),
    )
    expect(first).toMatchObject([{ createdAt: new Date(1_767_225_600_000) }])
    expect(second).toMatchObject([{ createdAt: new Date(1_767_312_000_000) }])
    expect(first?.[0]?.id).not.toBe(second?.[0]?.id)
    expect(entriesOf(snapshotAt(1_767_225_600_000), { snapshot: 'record' })).toEqual(first)
  })

  test('has an entry for each row without a position', () => {
    const rowOfSnapshot = (id: number) =>
      recordOf(envelopeOf({ op: 'r', before: null, after: rowOf({ id }) }, { lsn: null }), { id })
    const ids = [1, 2].map((id) => entriesOf(rowOfSnapshot(id), { snapshot: 'record' })[0]?.id)
    expect(new Set(ids).size).toBe(2)
  })
})

test('a decimal keeps its digits, and its change is seen', () => {
  const value = JSON.stringify(envelopeOf({ before: rowOf({ amount: 1 }), after: rowOf({ amount: 2 }) }))
    .replace('"amount":1', '"amount":9999999999999999.9999')
    .replace('"amount":2', '"amount":9999999999999999.9998')
  expect(changesOf(recordOf(value))).toEqual([['amount', '"9999999999999999.9999"', '"9999999999999999.9998"']])
})

test('a date is ISO 8601 where the record has its schema', () => {
  const table = ['before', 'after'].map((field) => ({
    ...{ type: 'struct', field },
    fields: [{ type: 'int32', field: 'due', name: 'io.debezium.time.Date' }],
  }))
  const payload = envelopeOf({ before: rowOf({ due: 20_483 }), after: rowOf({ due: 20_484 }) })
  const record = recordOf({ schema: { type: 'struct', fields: table }, payload })
  expect(changesOf(record)).toEqual([['due', '"2026-01-30"', '"2026-01-31"']])
})
