import { expect, test } from '@jest/globals'
import { readCloudEvent } from './read-cloud-event.ts'
import type { RecordHeaders } from './record-headers.ts'

const event = {
  specversion: '1.0',
  id: 'evt-1',
  source: '/notes',
  type: 'herald.mention.created.v1',
  time: '2026-01-31T09:30:00Z',
  subscriberid: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
  data: {},
}
const structured = 'application/cloudevents+json'
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
const registry = Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), bytes(event)])

test.each<[string, Buffer, RecordHeaders, string, RegExp]>([
  ['the bytes of a registry', registry, {}, 'not_cloudevent', /five bytes of a schema registry/],
  [
    'the bytes of a registry, structured',
    registry,
    { 'content-type': structured },
    'not_json',
    /five bytes of a schema registry/,
  ],
  [
    'the bytes of a registry, binary',
    registry,
    { ce_specversion: '1.0' },
    'not_json',
    /five bytes of a schema registry/,
  ],
  ['headers as over HTTP', bytes({}), { 'ce-specversion': '1.0' }, 'not_cloudevent', /headers ce-….*begin with ce_/],
  [
    'a structured event under JSON',
    bytes(event),
    { 'content-type': 'application/json' },
    'not_cloudevent',
    /structured event under application\/json; it must be application\/cloudevents\+json/,
  ],
  [
    'a structured event without a content type',
    bytes(event),
    {},
    'not_cloudevent',
    /structured event without content-type/,
  ],
  [
    'a header in other letters',
    bytes(event),
    { 'Content-Type': structured },
    'not_cloudevent',
    /header content-type must be in lower case/,
  ],
  [
    'a batch',
    bytes([event]),
    { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' },
    'not_cloudevent',
    /is a batch.*a record of its own/,
  ],
  [
    'another format',
    bytes(event),
    { 'content-type': 'application/cloudevents+avro' },
    'not_cloudevent',
    /only supported structured format/,
  ],
  ['anything else', bytes({ a: 1 }), { 'content-type': 'text/plain' }, 'not_cloudevent', /neither content-type/],
])('the detail says what to change about %s', (_name, value, headers, code, detail) => {
  expect(readCloudEvent({ value, headers })).toEqual({ ok: false, code, detail: expect.stringMatching(detail) })
})

test('no detail quotes the content of a record', () => {
  const headers = { 'content-type': 'se"cret\n' }
  const read = readCloudEvent({ value: bytes({ ...event, data: 'secret' }), headers })
  expect(JSON.stringify(read)).not.toMatch(/cret/)
})

test('an attribute that is null is unset', () => {
  const nulls = { datacontenttype: null, dataschema: null, subject: null, traceparent: null, data_base64: null }
  const headers = { 'content-type': structured }
  const read = readCloudEvent({ value: bytes({ ...event, ...nulls }), headers })
  expect(read).toMatchObject({ ok: true, attributes: { id: 'evt-1' }, data: {} })
  expect(readCloudEvent({ value: bytes({ ...event, id: null }), headers })).toMatchObject({
    code: 'invalid_attributes',
  })
})
