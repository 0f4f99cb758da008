import { randomUUID } from 'node:crypto'
import type { Message } from 'kafkajs'
import { mention, structured } from './events.ts'

/** A record that cannot be processed, and the code that its dead letter must carry. */
export type Poison = { what: string; code: string; message: Message }

const json = { 'content-type': 'application/cloudevents+json' }
const soon = () => new Date(Date.now() + 10 * 60_000).toISOString()

/** Records that can never succeed, each with the code that its dead letter must carry. */
export function poisonFor(subscriberid: string): Poison[] {
  const event = (said: object = {}, data: object = {}) =>
    mention([randomUUID()], { subscriberid, ...said }, data as Record<string, unknown>)
  const of = (what: string, code: string, value: Message['value'], headers: Message['headers'] = json): Poison => ({
    what,
    code,
    message: { key: subscriberid, value, headers: { ...headers, 'x-what': what } },
  })
  const text = (said: object, data: object = {}) => JSON.stringify(event(said, data))
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`

  return [
    of('not JSON', 'not_json', '{"specversion":'),
    of('invalid UTF-8', 'not_json', Buffer.from(text({}).replace('See here', '\u00ff\u00fe'), 'latin1')),
    of('JSON, but no CloudEvent', 'invalid_attributes', '{"hello":"world"}'),
    of('no content type', 'not_cloudevent', text({}), {}),
    of('wrong specversion', 'invalid_attributes', text({ specversion: '0.3' })),
    of('unknown type', 'unknown_type', text({ type: 'herald.mention.created.v9' })),
    of('type of another topic', 'unknown_type', text({ type: 'herald.change.recorded.v1' })),
    of('schema fault', 'invalid_data', text({}, { locationType: 'moon', recipientIds: [] })),
    of(
      '10,001 recipients',
      'invalid_data',
      text({}, { recipientIds: Array.from({ length: 10_001 }, () => randomUUID()) }),
    ),
    of('more than 1 MiB', 'record_too_large', text({}).padEnd(1024 * 1024 + 1)),
    of('future time', 'future_time', text({ time: soon() })),
    of('time before 1970', 'invalid_attributes', text({ time: '1969-12-31T23:59:59.999Z' })),
    of('subscriber that is no UUID', 'invalid_attributes', text({ subscriberid: 'x' })),
    of('__proto__ in data', 'unsafe_json', text({}).replace('"snippet"', '"__proto__":{"x":1},"snippet"')),
    of('depth of 100', 'unsafe_json', text({}).replace('"data":{', `"data":{"deep":${deep},`)),
    of('binary mode without attributes', 'not_cloudevent', '{}', { 'content-type': 'application/json' }),
    of('headers that are bytes', 'not_json', 'x', {
      ...json,
      'x-bytes': Buffer.from([0, 255, 128, 10]),
      'x-empty': '',
    }),
    { ...of('key that is bytes', 'not_json', ''), message: { ...of('', '', '').message, key: Buffer.from([255, 0]) } },
    { what: 'empty value', code: 'not_json', message: { ...structured(event()), value: Buffer.alloc(0) } },
    { what: 'tombstone', code: 'not_json', message: { ...structured(event()), value: null } },
    { what: 'nothing at all', code: 'not_cloudevent', message: { key: null, value: null } },
  ]
}
