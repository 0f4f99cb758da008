import { randomUUID } from 'node:crypto'
import type { Message } from 'kafkajs'
import { mention, structured } from './events.ts'

/** A record that cannot be processed, and the code of its dead letter. */
export type Poison = { name: string; code: string; message: Message }

const json = { 'content-type': 'application/cloudevents+json' }
const inTenMinutes = () => new Date(Date.now() + 10 * 60_000).toISOString()

/** Records that can never succeed, each with the code of its dead letter. */
export function poisonFor(subscriberid: string): Poison[] {
  const event = (attributes: object = {}, data: object = {}) =>
    mention([randomUUID()], { subscriberid, ...attributes }, data as Record<string, unknown>)
  const of = (name: string, code: string, value: Message['value'], headers: Message['headers'] = json): Poison => ({
    name,
    code,
    message: { key: subscriberid, value, headers: { ...headers, 'x-name': name } },
  })
  const text = (attributes: object, data: object = {}) => JSON.stringify(event(attributes, data))
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`

  return [
    of('not JSON', 'not_json', '{"specversion":'),
    of('invalid UTF-8', 'not_json', Buffer.from(text({}).replace('See here', '\u00ff\u00fe'), 'latin1')),
    of('JSON that is not a CloudEvent', 'invalid_attributes', '{"hello":"world"}'),
    of('no content type', 'not_cloudevent', text({}), {}),
    of('unsupported specversion', 'invalid_attributes', text({ specversion: '0.3' })),
    of('unknown type', 'unknown_type', text({ type: 'herald.mention.created.v9' })),
    of('type of another topic', 'unknown_type', text({ type: 'herald.change.recorded.v1' })),
    of('data that violates the schema', 'invalid_data', text({}, { locationType: 'moon', recipientIds: [] })),
    of(
      '10,001 recipients',
      'invalid_data',
      text({}, { recipientIds: Array.from({ length: 10_001 }, () => randomUUID()) }),
    ),
    of('more than 1 MiB', 'record_too_large', text({}).padEnd(1024 * 1024 + 1)),
    of('future time', 'future_time', text({ time: inTenMinutes() })),
    of('time before 1970', 'invalid_attributes', text({ time: '1969-12-31T23:59:59.999Z' })),
    of('subscriber that is not a UUID', 'invalid_attributes', text({ subscriberid: 'x' })),
    of('__proto__ in data', 'unsafe_json', text({}).replace('"snippet"', '"__proto__":{"x":1},"snippet"')),
    of('depth of 100', 'unsafe_json', text({}).replace('"data":{', `"data":{"deep":${deep},`)),
    of('binary mode without attributes', 'not_cloudevent', '{}', { 'content-type': 'application/json' }),
    of('binary headers', 'not_json', 'x', {
      ...json,
      'x-bytes': Buffer.from([0, 255, 128, 10]),
      'x-empty': '',
    }),
    { ...of('binary key', 'not_json', ''), message: { ...of('', '', '').message, key: Buffer.from([255, 0]) } },
    { name: 'empty value', code: 'not_json', message: { ...structured(event()), value: Buffer.alloc(0) } },
    { name: 'tombstone', code: 'not_json', message: { ...structured(event()), value: null } },
    { name: 'neither key nor value', code: 'not_cloudevent', message: { key: null, value: null } },
  ]
}
