import { exampleEvents, events as table } from '@herald/contracts'
import { describe, expect, test } from '@jest/globals'
import { changeEntryIdOf, notificationIdOf } from './event-ids.ts'
import { changeData, mentionData, subscriberId } from './events.fixture.ts'
import { createEvents } from './events.ts'
import { InvalidEvent } from './invalid-event.ts'
import { toMessage, toRecord } from './message.ts'
import { expectValidEvent } from './testing.ts'

const now = () => new Date('2026-01-31T12:00:00Z')
const events = createEvents({ source: '/comments', now })
const identity = { id: 'c-1', time: new Date('2026-01-31T09:30:00.123Z'), subscriberId }

const issuesOf = (make: () => unknown) => {
  try {
    make()
  } catch (error) {
    if (error instanceof InvalidEvent) return error.issues.map(({ pointer }) => pointer).sort()
    throw error
  }
  return []
}

describe('an event', () => {
  test('contains the given fields and nothing generated', () => {
    const data = changeData()
    expect(events.changeRecorded(identity, data)).toEqual({
      specversion: '1.0',
      id: 'c-1',
      source: '/comments',
      type: 'herald.change.recorded.v1',
      time: '2026-01-31T09:30:00.123Z',
      subscriberid: subscriberId,
      datacontenttype: 'application/json',
      data,
    })
  })

  test('is rejected with all issues if it is invalid', () => {
    const data = { ...mentionData(['x']), subjectType: 'planet' as 'user' }
    const wrong = { id: '', time: 'yesterday', subscriberId: 'nobody' }
    expect(issuesOf(() => events.mentionCreated(wrong, data))).toEqual([
      ...['/data/recipientIds/0', '/data/subjectType', '/id', '/subscriberid', '/time'],
    ])
  })

  test.each([
    ['a missing id', { ...identity, id: undefined as unknown as string }, '/id'],
    ['a missing time', { ...identity, time: undefined as unknown as string }, '/time'],
    ['an invalid date', { ...identity, time: new Date(Number.NaN) }, '/time'],
    ['a time ahead of the clock', { ...identity, time: '2026-01-31T12:06:00Z' }, '/time'],
  ])('%s is an issue', (_, given, pointer) => {
    expect(issuesOf(() => events.changeRecorded(given, changeData()))).toEqual([pointer])
  })

  test('is validated as the JSON that is sent', () => {
    const dated = { ...changeData(), afterState: new Date('2026-01-01T00:00:00Z') as unknown as string }
    expect(events.changeRecorded(identity, dated).data.afterState).toBe('2026-01-01T00:00:00.000Z')
    const poisoned = { ...changeData(), afterState: JSON.parse('{"__proto__":1}') }
    expect(issuesOf(() => events.changeRecorded(identity, poisoned))).toEqual(['/data/afterState/__proto__'])
    const large = events.changeRecorded(identity, { ...changeData(), afterState: 'x'.repeat(1024 * 1024) })
    expect(() => toMessage(large)).toThrow('1048576 are allowed')
  })
})

describe.each(['structured', 'binary'] as const)('a message in %s mode', (mode) => {
  const all = [
    events.mentionCreated({ ...identity, traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` }, mentionData()),
    events.mentionRetracted(identity, { notificationId: subscriberId, recipientIds: [subscriberId] }),
    events.mentionRetracted(identity, { locationType: 'comment', locationId: subscriberId }),
    events.changeRecorded(identity, changeData()),
    events.emailSent(identity, { notificationId: subscriberId, recipientId: subscriberId }),
    events.notificationRead(identity, { notificationId: subscriberId, recipientId: subscriberId }),
    events.personErased(identity, { personId: subscriberId }),
  ]
  test.each(all.map((event) => [event.type, event] as const))('%s is read back unchanged', (_, event) => {
    const record = toRecord(event, { mode })
    expect(record.key).toBe(subscriberId)
    // As stored in an outbox.
    expect(expectValidEvent(JSON.parse(JSON.stringify(record)), { now: now() })).toEqual(event)
  })

  test('has the headers of its mode', () => {
    const { headers, value } = toMessage(events.changeRecorded(identity, changeData()), { mode })
    const isStructured = mode === 'structured'
    expect(headers['content-type']).toMatch(isStructured ? /^application\/cloudevents\+json/ : /^application\/json$/)
    expect(headers.ce_id).toBe(isStructured ? undefined : 'c-1')
    expect('specversion' in JSON.parse(value)).toBe(isStructured)
  })
})

describe('ids', () => {
  test('match the contract', () => {
    const event = { source: 'https://collab.example/comments', id: 'evt-0001', subscriberid: subscriberId }
    const time = new Date(1767225600123).toISOString()
    expect(notificationIdOf({ ...event, time })).toBe('019b76da-a87b-726e-a4a3-c60fe33870b1')
  })

  test('are unchanged when the event is read from its record', () => {
    const event = events.changeRecorded(identity, changeData())
    const read = expectValidEvent(toMessage(event, { mode: 'binary' }), { now: now() })
    expect(changeEntryIdOf(read)).toBe(changeEntryIdOf(event))
    expect(() => changeEntryIdOf({ ...event, time: 'now' })).toThrow(InvalidEvent)
  })
})

const examples = Object.values(table).flatMap((event) => Object.entries(exampleEvents(event)))

test.each(examples)('the example %s is valid', (_, example) => {
  const headers = { 'content-type': 'application/cloudevents+json' }
  const value = JSON.stringify(example)
  expect(expectValidEvent({ key: example.subscriberid, value, headers })).toMatchObject({ id: example.id })
})
