import { makeUuidV7 } from '@herald/contracts'
import { describe, expect, test } from '@jest/globals'
import { decide } from './decide.ts'
import { attributes, codeOf, goldenId, now, structured, uuid } from './records.fixture.ts'

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
    expect(decide(retraction(data), 'mention', { now })).toEqual({
      kind: 'retraction',
      documents: [
        {
          ...expected,
          subscriberId: attributes().subscriberid,
          eventId: goldenId,
          time: new Date('2026-01-01T00:00:00.123Z'),
        },
      ],
    })
  })

  test.each([[{}], [{ ...location, notificationId: goldenId }]])('of %j is invalid', (data) => {
    expect(codeOf(decide(retraction(data), 'mention', { now }))).toBe('invalid_data')
  })

  test.each([
    [5_000, 'retraction'],
    [5_001, 'not-due'],
    [300_000, 'not-due'],
    [300_001, 'future_time'],
    [600_000, 'future_time'],
  ])('%d ms ahead: %s', (ms, code) => {
    const time = new Date(now.getTime() + ms).toISOString()
    expect(codeOf(decide(retraction(location, { time }), 'mention', { now }))).toBe(code)
  })

  test.each([
    [300_000, 'retraction'],
    [300_001, 'future_time'],
    [2 ** 48 - 1 - now.getTime(), 'future_time'],
  ])('of a notification dated %d ms ahead, which cannot come to be: %s', (ms, code) => {
    const notificationId = makeUuidV7(now.getTime() + ms, Buffer.alloc(10))
    expect(codeOf(decide(retraction({ notificationId }), 'mention', { now }))).toBe(code)
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
