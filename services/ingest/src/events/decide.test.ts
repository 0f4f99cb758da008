import type { TopicKind } from '@herald/contracts'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Decision, decide } from './decide.ts'
import type { IncomingRecord } from './incoming-record.ts'
import {
  attributes,
  binary,
  changeData,
  goldenId,
  mentionData,
  now,
  recordOf,
  structured,
  uuid,
} from './records.fixture.ts'

const decideMention = (record: IncomingRecord) => decide(record, 'mention', { now })
const decideChange = (record: IncomingRecord) => decide(record, 'change', { now })
const changed = (changes: Record<string, unknown> = {}) => attributes({ type: 'herald.change.recorded.v1', ...changes })

const codeOf = (decision: Decision) => (decision.kind === 'dead-letter' ? decision.code : decision.kind)
const detailOf = (decision: Decision) => (decision.kind === 'dead-letter' ? decision.detail : '')

describe.each([
  ['structured', structured],
  ['binary', binary],
] as const)('in %s mode', (_, write) => {
  test('turns a mention into a notification with the derived id', () => {
    const { metadata, ...data } = mentionData()
    expect(decideMention(write(attributes(), mentionData()))).toEqual({
      kind: 'notification',
      notification: {
        ...data,
        id: goldenId,
        subscriberId: attributes().subscriberid,
        type: 'mention',
        metadata: JSON.stringify(metadata),
        createdAt: new Date('2026-01-01T00:00:00.123Z'),
      },
    })
  })

  test('turns a change into a change entry with the derived id', () => {
    expect(decideChange(write(changed(), changeData()))).toEqual({
      kind: 'change-entry',
      entry: {
        ...changeData(),
        id: goldenId,
        subscriberId: attributes().subscriberid,
        beforeState: 'null',
        afterState: '"new"',
        createdAt: new Date('2026-01-01T00:00:00.123Z'),
      },
    })
  })

  test.each([
    ['herald.email.sent.v1', 'email-sent'],
    ['herald.notification.read.v1', 'read'],
  ])('turns %s into a receipt', (type, kind) => {
    const data = { notificationId: uuid(7).toUpperCase(), recipientId: uuid(8) }
    expect(decide(write(attributes({ type }), data), 'receipt', { now })).toEqual({
      kind: 'receipt',
      receipt: {
        kind,
        subscriberId: attributes().subscriberid,
        notificationId: uuid(7),
        recipientId: uuid(8),
        at: new Date('2026-01-01T00:00:00.123Z'),
        eventId: goldenId,
      },
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
    expect(mention).toMatchObject({ notification: { metadata: expect.stringContaining(`"add":${state},"edit":{}`) } })
    const change = decideChange(write(changed(), changeData({ beforeState: free, afterState: [free] })))
    expect(change).toMatchObject({ entry: { beforeState: state, afterState: `[${state}]` } })
  })

  test('stores an absent state as null', () => {
    const { beforeState: _before, afterState: _after, ...data } = changeData()
    expect(decideChange(write(changed(), data))).toMatchObject({ entry: { beforeState: 'null', afterState: 'null' } })
  })

  test('removes duplicate recipients', () => {
    const recipientIds = [uuid(5), uuid(4), uuid(5).toUpperCase()]
    const decision = decideMention(write(attributes(), mentionData({ recipientIds })))
    expect(decision).toMatchObject({ notification: { recipientIds: [uuid(5), uuid(4)] } })
  })

  test.each([
    [10_000, 'notification'],
    [10_001, 'invalid_data'],
  ])('decides %s recipients: %s', (count, expected) => {
    const recipientIds = Array.from({ length: count }, (_item, n) => uuid(n))
    expect(codeOf(decideMention(write(attributes(), mentionData({ recipientIds }))))).toBe(expected)
  })

  test.each([
    [60, 'change-entry'],
    [70, 'unsafe_json'],
    [50_000, 'unsafe_json'],
  ])('decides a state of %s levels: %s', (levels, expected) => {
    const record = write(changed(), changeData({ afterState: 'STATE' }))
    const value = record.value?.toString().replace('"STATE"', '['.repeat(levels) + ']'.repeat(levels)) ?? ''
    expect(codeOf(decideChange({ ...record, value: Buffer.from(value) }))).toBe(expected)
  })

  test.each([
    [1024 * 1024, 'change-entry'],
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

describe('a retraction', () => {
  const retraction = (data: Record<string, unknown>, changes: Record<string, unknown> = {}) =>
    structured(attributes({ type: 'herald.mention.retracted.v1', ...changes }), data)
  const location = { locationType: 'comment', locationId: uuid(3) }

  test.each([
    [{ notificationId: goldenId }, { target: { notificationId: goldenId }, recipientIds: undefined }],
    [
      { ...location, recipientIds: [uuid(4), uuid(4)] },
      { target: location, recipientIds: [uuid(4)] },
    ],
  ])('of %j has the derived id and the time of its event', (data, expected) => {
    expect(decideMention(retraction(data))).toEqual({
      kind: 'retraction',
      retraction: {
        ...expected,
        subscriberId: attributes().subscriberid,
        eventId: goldenId,
        time: new Date('2026-01-01T00:00:00.123Z'),
      },
    })
  })

  test.each([[{}], [{ ...location, notificationId: goldenId }]])('of %j is invalid', (data) => {
    expect(codeOf(decideMention(retraction(data)))).toBe('invalid_data')
  })

  test.each([
    [5_000, 'retraction'],
    [5_001, 'future_time'],
    [600_000, 'future_time'],
  ])('%d ms ahead: %s', (ms, code) => {
    const time = new Date(now.getTime() + ms).toISOString()
    expect(codeOf(decideMention(retraction(location, { time })))).toBe(code)
  })

  test('belongs on the topic of mentions', () => {
    expect(codeOf(decide(retraction(location), 'receipt', { now }))).toBe('unknown_type')
  })

  test('expires with the newest notification that it may concern', () => {
    const time = '2026-01-01T00:00:00.000Z'
    const past = (ms: number) => ({ now, keepFrom: new Date(Date.parse(time) + ms) })
    const kindOf = (data: Record<string, unknown>, ms: number) =>
      decide(retraction(data, { time }), 'mention', past(ms)).kind
    expect([kindOf(location, 30_000), kindOf(location, 30_001)]).toEqual(['retraction', 'expired'])
    // By id, at the time in the id.
    const byId = { notificationId: goldenId }
    expect([kindOf(byId, 123), kindOf(byId, 124)]).toEqual(['retraction', 'expired'])
    expect(kindOf({ notificationId: 'ffffffff-0000-4000-8000-000000000000' }, 1_000_000)).toBe('retraction')
  })
})

describe('the content mode', () => {
  test.each([
    ['application/cloudevents+json', 'notification'],
    ['application/cloudevents+json; charset=utf-8', 'notification'],
    ['Application/CloudEvents+JSON; charset="UTF-8"', 'notification'],
    ['application/cloudevents+json; charset=latin1', 'not_cloudevent'],
    ['application/cloudevents-batch+json', 'not_cloudevent'],
    ['application/cloudevents+avro', 'not_cloudevent'],
    ['application/cloudevents', 'not_cloudevent'],
    ['application/json', 'not_cloudevent'],
    ['', 'not_cloudevent'],
  ])('of a structured event with content type %j: %s', (contentType, expected) => {
    expect(codeOf(decideMention(structured(attributes(), mentionData(), contentType)))).toBe(expected)
  })

  test.each([
    ['application/json; charset=utf-8', 'notification'],
    ['application/vnd.herald.mention+json', 'notification'],
    [undefined, 'notification'],
    ['text/plain', 'invalid_attributes'],
    ['application/protobuf', 'invalid_attributes'],
  ])('of a binary event with content type %j: %s', (contentType, expected) => {
    const { 'content-type': _, ...headers } = binary(attributes(), mentionData()).headers
    const record = contentType === undefined ? { ...binary(attributes(), mentionData()), headers } : undefined
    expect(codeOf(decideMention(record ?? binary(attributes(), mentionData(), contentType)))).toBe(expected)
  })

  test('is required: rejects a record without headers', () => {
    expect(codeOf(decideMention(recordOf(JSON.stringify({ ...attributes(), data: mentionData() }))))).toBe(
      'not_cloudevent',
    )
  })

  test('is read from the first of repeated headers; a header without a value is ignored', () => {
    const record = structured(attributes(), mentionData())
    const contentType = [Buffer.from('application/cloudevents+json'), Buffer.from('text/plain')]
    expect(codeOf(decideMention({ ...record, headers: { 'content-type': contentType } }))).toBe('notification')
    expect(codeOf(decideMention({ ...record, headers: { 'content-type': null } }))).toBe('not_cloudevent')
  })
})

describe('a value', () => {
  const headers = { 'content-type': Buffer.from('application/cloudevents+json') }
  test.each([
    ['null', null, 'not_json'],
    ['empty', Buffer.alloc(0), 'not_json'],
    ['cut', Buffer.from('{"specversion":"1.0"'), 'not_json'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'not_json'],
    ['an array', Buffer.from('[{}]'), 'not_cloudevent'],
    ['a text', Buffer.from('"x"'), 'not_cloudevent'],
    ['JSON null', Buffer.from('null'), 'not_cloudevent'],
    ['an empty object', Buffer.from('{}'), 'invalid_attributes'],
  ])('that is %s', (_, value, expected) => {
    const decision = decideMention({ ...recordOf(null, headers), value })
    expect(codeOf(decision)).toBe(expected)
  })

  test('is never quoted in the detail', () => {
    for (const value of ['{"secret', '{"data":{"secret":1}}', '{"id":"secret","__proto__":"secret"}']) {
      expect(detailOf(decideMention(recordOf(value, headers)))).not.toContain('secret')
    }
  })

  test('may carry its data in base64', () => {
    const encoded = (data: string) =>
      decideMention(recordOf(JSON.stringify({ ...attributes(), data_base64: data }), headers))
    const data = Buffer.from(JSON.stringify(mentionData())).toString('base64')
    expect(encoded(data)).toEqual(decideMention(structured(attributes(), mentionData())))
    expect(codeOf(encoded('AAAA'))).toBe('not_json')
    expect(codeOf(encoded(Buffer.from('{"__proto__":1}').toString('base64')))).toBe('unsafe_json')
    const number = recordOf(JSON.stringify({ ...attributes(), data_base64: 1 }), headers)
    expect(codeOf(decideMention(number))).toBe('not_cloudevent')
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

describe('decides every record without throwing', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
  const name = fc.oneof(
    fc.constantFrom(
      'content-type',
      'traceparent',
      '__proto__',
      'constructor',
      ...Object.keys(attributes()).map((key) => `ce_${key}`),
    ),
    fc.string({ maxLength: 10 }),
  )
  const known = fc.constantFrom(
    ...['1.0', 'application/cloudevents+json', 'application/json', 'herald.mention.created.v1', '2026-01-01T00:00:00Z'],
    ...['herald.change.recorded.v1', 'herald.email.sent.v1', String(attributes().subscriberid)],
  )
  const header = fc.oneof(
    bytes,
    fc.constant(null),
    known.map((text) => Buffer.from(text)),
    fc.array(bytes, { maxLength: 2 }),
  )
  const headers = fc.dictionary(name, header, { maxKeys: 10, noNullPrototype: true })
  const kind = fc.constantFrom<TopicKind>('mention', 'change', 'receipt')
  const holds = (value: fc.Arbitrary<Buffer | null>) =>
    fc.assert(
      fc.property(value, headers, kind, (content, given, topicKind) => {
        const decision = decide({ ...recordOf(null, given as IncomingRecord['headers']), value: content }, topicKind, {
          now,
        })
        if (decision.kind === 'dead-letter') expect(decision.detail).not.toBe('')
      }),
      { numRuns: 1_000 },
    )

  test('random bytes', () => holds(fc.oneof(bytes, fc.constant(null))))
  test('random JSON', () => holds(fc.json({ maxDepth: 5 }).map((json) => Buffer.from(json))))
  test('an almost valid event', () => {
    const part = fc.oneof(fc.jsonValue({ maxDepth: 3 }), known)
    const event = fc.record(
      Object.fromEntries(
        [...Object.keys(attributes()), 'data', 'data_base64', 'traceparent'].map((key) => [key, part]),
      ),
      { requiredKeys: [] },
    )
    const data = fc.record(
      Object.fromEntries(
        Object.entries({ ...mentionData(), ...changeData() }).map(([key, right]) => [
          key,
          fc.oneof(fc.constant(right), part),
        ]),
      ),
      { requiredKeys: [] },
    )
    const value = fc
      .tuple(event, fc.boolean(), data)
      .map(([some, isRight, content]) =>
        JSON.stringify(isRight ? { ...attributes(), data: content } : { ...attributes(), ...some }),
      )
    holds(value.map((json) => Buffer.from(json)))
  })
})

test('dead-letters an unreadable record with its reason', () => {
  const readFailure = { code: 'record_unreadable', detail: 'cut short', omitted: {} } as const
  expect(decideMention({ ...structured(attributes(), mentionData()), readFailure })).toMatchObject({
    ...{ kind: 'dead-letter', code: 'record_unreadable', detail: 'cut short' },
  })
})
