import type { TopicKind } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decide } from './decide.ts'
import { attributes, changeData, mentionData, now, recordOf } from './records.fixture.ts'

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
  const kind = fc.constantFrom<TopicKind>('mention', 'change', 'receipt', 'privacy')
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
