import { expect, test } from '@jest/globals'
import { encodeEvent, encodeRetry } from './event-format.ts'
import { createEventParser } from './event-parser.fixture.ts'

test('encodes an event as its id, its name, its data and an empty line', () => {
  expect(encodeEvent({ id: 'abc', event: 'heartbeat', data: '{}' })).toBe('id: abc\nevent: heartbeat\ndata: {}\n\n')
  expect(encodeEvent({ event: 'unread-count', data: '{}' })).toBe('event: unread-count\ndata: {}\n\n')
  expect(encodeRetry(1_500.4)).toBe('retry: 1500\n')
})

test('keeps data with several lines in one event', () => {
  expect(encodeEvent({ event: 'x', data: 'a\r\nb\rc\nd' })).toBe('event: x\ndata: a\ndata: b\ndata: c\ndata: d\n\n')
})

test('a parser finds the encoded events in chunks of any size; an event without an id keeps the last one', () => {
  const text = [
    encodeRetry(1_000),
    encodeEvent({ id: '1', event: 'notification', data: '{"a":"ä: \\n b"}' }),
    encodeEvent({ event: 'unread-count', data: '{"unreadCount":1}' }),
    ': nothing\n',
    encodeEvent({ id: '2', event: 'heartbeat', data: '{}' }),
  ].join('')
  const expected = [
    { event: 'notification', data: '{"a":"ä: \\n b"}', lastEventId: '1' },
    { event: 'unread-count', data: '{"unreadCount":1}', lastEventId: '1' },
    { event: 'heartbeat', data: '{}', lastEventId: '2' },
  ]
  expect(createEventParser()(text)).toEqual(expected)
  const parse = createEventParser()
  expect([...text].flatMap((piece) => parse(piece))).toEqual(expected)
})
