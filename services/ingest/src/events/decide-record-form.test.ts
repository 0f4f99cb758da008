import type { IncomingRecord } from '@herald/kafka'
import { describe, expect, test } from '@jest/globals'
import { decide } from './decide.ts'
import { attributes, binary, codeOf, detailOf, mentionData, now, recordOf, structured } from './records.fixture.ts'

const decideMention = (record: IncomingRecord) => decide(record, 'mention', { now })

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

test('dead-letters an unreadable record with its reason', () => {
  const readFailure = { code: 'record_unreadable', detail: 'cut short', omitted: {} } as const
  expect(decideMention({ ...structured(attributes(), mentionData()), readFailure })).toMatchObject({
    kind: 'dead-letter',
    code: 'record_unreadable',
    detail: 'cut short',
  })
})
