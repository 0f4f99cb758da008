import type { IncomingRecord } from '@herald/kafka'
import { describe, expect, test } from '@jest/globals'
import { decide } from './decide.ts'
import { toRecordText } from './record-text.ts'
import {
  attributes,
  binary,
  changeData,
  codeOf,
  detailOf,
  goldenId,
  mentionData,
  now,
  structured,
  uuid,
} from './records.fixture.ts'

const decideMention = (record: IncomingRecord) => decide(record, 'mention', { now })
const decideChange = (record: IncomingRecord) => decide(record, 'change', { now })
const changed = (changes: Record<string, unknown> = {}) => attributes({ type: 'herald.change.recorded.v1', ...changes })

describe.each([
  ['structured', structured],
  ['binary', binary],
] as const)('in %s mode', (_, write) => {
  test('turns a mention into a notification with the derived id', () => {
    const { metadata, ...data } = mentionData()
    expect(decideMention(write(attributes(), mentionData()))).toEqual({
      kind: 'notification',
      documents: [
        {
          ...data,
          id: goldenId,
          subscriberId: attributes().subscriberid,
          type: 'mention',
          metadata: JSON.stringify(metadata),
          createdAt: new Date('2026-01-01T00:00:00.123Z'),
        },
      ],
    })
  })

  test('turns a change into a change entry with the derived id', () => {
    expect(decideChange(write(changed(), changeData()))).toEqual({
      kind: 'change-entries',
      documents: [
        {
          ...changeData(),
          id: goldenId,
          subscriberId: attributes().subscriberid,
          beforeState: 'null',
          afterState: '"new"',
          createdAt: new Date('2026-01-01T00:00:00.123Z'),
        },
      ],
    })
  })

  test.each([
    ['herald.email.sent.v1', 'email-sent'],
    ['herald.notification.read.v1', 'read'],
  ])('turns %s into a receipt', (type, kind) => {
    const data = { notificationId: uuid(7).toUpperCase(), recipientId: uuid(8) }
    const record = write(attributes({ type }), data)
    expect(decide(record, 'receipt', { now })).toEqual({
      kind: 'receipt',
      documents: [
        {
          kind,
          subscriberId: attributes().subscriberid,
          notificationId: uuid(7),
          recipientId: uuid(8),
          at: new Date('2026-01-01T00:00:00.123Z'),
          eventId: goldenId,
          record: toRecordText(record),
        },
      ],
    })
  })

  test('ignores unknown attributes and fields', () => {
    const wordy = mentionData({ actor: { ...mentionData().actor, nickname: 'A' }, priority: 'high' })
    const event = attributes({ partitionkey: 'x', subject: 'y', dataschema: 'https://x.example/' })
    expect(decideMention(write(event, wordy))).toEqual(decideMention(write(attributes(), mentionData())))
  })

  test('reads traceparent from the attribute or else from the header, and ignores an invalid one', () => {
    const [own, plain] = [1, 2].map((n) => `00-${String(n).repeat(32)}-${String(n).repeat(16)}-01`)
    const record = write(attributes({ traceparent: own }), mentionData())
    const bare = write(attributes(), mentionData())
    const withPlain = { ...bare, headers: { ...bare.headers, traceparent: Buffer.from(plain ?? '') } }
    expect(decideMention(record)).toMatchObject({ kind: 'notification', traceparent: own })
    expect(decideMention(withPlain)).toMatchObject({ kind: 'notification', traceparent: plain })
    const odd = decideMention(write(attributes({ traceparent: 'zz' }), mentionData()))
    expect([odd.kind, odd.traceparent]).toEqual(['notification', undefined])
    const longer = { ...bare, headers: { ...bare.headers, traceparent: Buffer.from(`${plain}${'0'.repeat(9_000)}`) } }
    expect(decideMention(longer)).not.toHaveProperty('traceparent')
    const dead = decideMention({ ...longer, value: Buffer.from('{') })
    expect([dead.kind, dead.traceparent]).toEqual(['dead-letter', undefined])
  })

  test.each([
    ['specversion', { specversion: '0.3' }],
    ['id', { id: '' }],
    ['source', { source: '' }],
    ['time', { time: 'yesterday' }],
    ['time', { time: '1969-12-31T23:59:59Z' }],
    ['subscriberid', { subscriberid: 'acme' }],
  ])('reports an invalid %s', (name, changes) => {
    const decision = decideMention(write(attributes(changes), mentionData()))
    expect([codeOf(decision), detailOf(decision)]).toEqual([
      'invalid_attributes',
      expect.stringContaining(`/${name}: `),
    ])
  })

  test('reports all errors of the data at once', () => {
    const decision = decideMention(
      write(attributes(), mentionData({ actorType: 'x', subjectId: 'y', recipientIds: [] })),
    )
    expect(codeOf(decision)).toBe('invalid_data')
    for (const place of ['/data/actorType', '/data/subjectId', '/data/recipientIds']) {
      expect(detailOf(decision)).toContain(`${place}: `)
    }
  })

  test.each([
    ['mention', 'herald.change.recorded.v1'],
    ['mention', 'herald.mention.created.v2'],
    ['change', 'herald.mention.created.v1'],
    ['receipt', 'herald.mention.created.v1'],
    ['receipt', 'constructor'],
  ] as const)('rejects, on the %s topic, the type %s', (kind, type) => {
    const decision = decide(write(attributes({ type }), mentionData()), kind, { now })
    expect([codeOf(decision), detailOf(decision)]).toEqual(['unknown_type', expect.stringContaining(`"${type}"`)])
  })

  test.each([
    [0, 'notification'],
    [5 * 60_000, 'notification'],
    [5 * 60_000 + 1, 'future_time'],
  ])('decides a time %s ms ahead: %s', (ahead, expected) => {
    const time = new Date(now.getTime() + ahead).toISOString()
    expect(codeOf(decideMention(write(attributes({ time }), mentionData())))).toBe(expected)
  })

  test.each([
    ['MongoDB', { now: new Date(now.getTime() + 60_000) }, {}],
    ['this process', { ownNow: new Date(now.getTime() + 60_000) }, {}],
    ['the broker', {}, { appendedAt: now.getTime() + 60_000 }],
  ])('decides by the clock of %s if the others are slow', (_, times, fields) => {
    const slow = new Date(now.getTime() - 400_000)
    const time = new Date(now.getTime() + 5 * 60_000).toISOString()
    const record = { ...structured(attributes({ time }), mentionData()), ...fields }
    expect(codeOf(decide(record, 'mention', { now: slow, ownNow: slow, ...times }))).toBe('notification')
    // The time that a publisher gave to the record is no clock.
    const given = { ...record, appendedAt: undefined, timestamp: String(now.getTime()) }
    expect(codeOf(decide(given, 'mention', { now: slow, ownNow: slow }))).toBe('future_time')
  })

  test('rejects the key __proto__ at any depth', () => {
    const add = JSON.parse('{"a":[{"b":{"__proto__":{"admin":true}}}]}')
    const mention = mentionData({ metadata: { ...mentionData().metadata, add } })
    expect(codeOf(decideMention(write(attributes(), mention)))).toBe('unsafe_json')
    const change = changeData({ afterState: add })
    const decision = decideChange(write(changed(), change))
    expect([codeOf(decision), detailOf(decision)]).toEqual(['unsafe_json', expect.stringContaining('/a/0/b/__proto__')])
  })

  test('keeps other keys in their order', () => {
    const state =
      '{"$set":{"a.b":1},"zulu":0,"alpha":{"$ref":"x","_bsontype":"ObjectId"},"constructor":{"prototype":[]},"":null}'
    const free = JSON.parse(state)
    const mention = decideMention(
      write(attributes(), mentionData({ metadata: { ...mentionData().metadata, add: free } })),
    )
    expect(mention).toMatchObject({ documents: [{ metadata: expect.stringContaining(`"add":${state},"edit":{}`) }] })
    const change = decideChange(write(changed(), changeData({ beforeState: free, afterState: [free] })))
    expect(change).toMatchObject({ documents: [{ beforeState: state, afterState: `[${state}]` }] })
  })

  test('stores an absent state as null', () => {
    const { beforeState: _before, afterState: _after, ...data } = changeData()
    expect(decideChange(write(changed(), data))).toMatchObject({
      documents: [{ beforeState: 'null', afterState: 'null' }],
    })
  })

  test('removes duplicate recipients', () => {
    const recipientIds = [uuid(5), uuid(4), uuid(5).toUpperCase()]
    const decision = decideMention(write(attributes(), mentionData({ recipientIds })))
    expect(decision).toMatchObject({ documents: [{ recipientIds: [uuid(5), uuid(4)] }] })
  })

  test.each([
    [10_000, 'notification'],
    [10_001, 'invalid_data'],
  ])('decides %s recipients: %s', (count, expected) => {
    const recipientIds = Array.from({ length: count }, (_item, n) => uuid(n))
    expect(codeOf(decideMention(write(attributes(), mentionData({ recipientIds }))))).toBe(expected)
  })

  test.each([
    [60, 'change-entries'],
    [70, 'unsafe_json'],
    [50_000, 'unsafe_json'],
  ])('decides a state of %s levels: %s', (levels, expected) => {
    const record = write(changed(), changeData({ afterState: 'STATE' }))
    const value = record.value?.toString().replace('"STATE"', '['.repeat(levels) + ']'.repeat(levels)) ?? ''
    expect(codeOf(decideChange({ ...record, value: Buffer.from(value) }))).toBe(expected)
  })

  test.each([
    [1024 * 1024, 'change-entries'],
    [1024 * 1024 + 1, 'record_too_large'],
  ])('decides a value of %s bytes: %s', (size, expected) => {
    const empty = write(changed(), changeData({ afterState: '' })).value?.length ?? 0
    expect(codeOf(decideChange(write(changed(), changeData({ afterState: 'x'.repeat(size - empty) }))))).toBe(expected)
  })

  test('rejects numbers outside the range of a double and lone surrogates', () => {
    for (const state of ['1e999', '"\\ud800"', '{"\\udc00":1}']) {
      const record = write(changed(), changeData({ afterState: 'STATE' }))
      const value = Buffer.from(record.value?.toString().replace('"STATE"', state) ?? '')
      expect(codeOf(decideChange({ ...record, value }))).toBe('unsafe_json')
    }
  })
})

describe('an event past the retention period', () => {
  const keepFrom = new Date('2026-01-01T00:00:00.123Z')
  const late = { now, keepFrom: new Date(keepFrom.getTime() + 1) }

  test('is not stored, to the millisecond', () => {
    const record = structured(attributes(), mentionData())
    expect(decide(record, 'mention', { now, keepFrom }).kind).toBe('notification')
    expect(decide(record, 'mention', late).kind).toBe('expired')
    expect(decide(structured(changed(), changeData()), 'change', late).kind).toBe('expired')
  })

  test('is still a dead letter if it is invalid', () => {
    expect(codeOf(decide(structured(attributes(), {}), 'mention', late))).toBe('invalid_data')
  })

  test('of a receipt: expires with its notification', () => {
    const data = { notificationId: goldenId, recipientId: uuid(8) }
    const receipt = structured(attributes({ type: 'herald.email.sent.v1', time: now.toISOString() }), data)
    expect(decide(receipt, 'receipt', { now, keepFrom }).kind).toBe('receipt')
    expect(decide(receipt, 'receipt', late).kind).toBe('expired')
  })
})
