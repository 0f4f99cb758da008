import { describe, expect, test } from '@jest/globals'
import { decide } from './decide.ts'
import { attributes, codeOf, goldenId, now, structured, uuid } from './records.fixture.ts'

describe('an erasure', () => {
  const erasure = (data: Record<string, unknown>, changes: Record<string, unknown> = {}) =>
    structured(attributes({ type: 'herald.person.erased.v1', ...changes }), data)

  test('names a person, and concerns the time of its event', () => {
    expect(decide(erasure({ personId: uuid(4).toUpperCase(), reason: 'GDPR' }), 'privacy', { now })).toEqual({
      kind: 'erasure',
      documents: [
        {
          subscriberId: attributes().subscriberid,
          eventId: goldenId,
          personId: uuid(4),
          time: new Date(String(attributes().time)),
        },
      ],
    })
  })

  test.each([{}, { personId: 'ada' }, { personId: null }])('%j is invalid', (data) => {
    expect(codeOf(decide(erasure(data), 'privacy', { now }))).toBe('invalid_data')
  })

  test('waits when it is more than 5 s ahead, and belongs on its own topic', () => {
    const at = (ms: number) => ({ time: new Date(now.getTime() + ms).toISOString() })
    const data = { personId: uuid(4) }
    expect(codeOf(decide(erasure(data, at(5_000)), 'privacy', { now }))).toBe('erasure')
    expect(codeOf(decide(erasure(data, at(5_001)), 'privacy', { now }))).toBe('not-due')
    expect(codeOf(decide(erasure(data, at(300_001)), 'privacy', { now }))).toBe('future_time')
    for (const kind of ['mention', 'change', 'receipt'] as const) {
      expect(codeOf(decide(erasure(data), kind, { now }))).toBe('unknown_type')
    }
  })
})
