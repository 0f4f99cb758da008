import { readCloudEvent } from '@herald/contracts'
import { type AnyHeaders, toRecordHeaders } from './any-headers.ts'
import type { HeraldEvent } from './event.ts'
import { InvalidEvent } from './invalid-event.ts'
import type { Topics } from './message.ts'
import { descriptionOf, validateEvent } from './validate-event.ts'

/** A record of any Kafka client, before sending or after reading. */
export type AnyMessage = {
  readonly topic?: string | undefined
  readonly key?: Buffer | string | null | undefined
  readonly value: Buffer | string | null
  readonly headers?: AnyHeaders | null | undefined
}

export type ReadOptions = { readonly topics?: Topics | undefined; readonly now?: Date | undefined }

/**
 * Reads the event in a message by Herald's rules, in either content mode.
 *
 * @throws InvalidEvent with all issues, if Herald would reject the event or could not keep it in order
 */
export function readMessage(message: AnyMessage, { topics, now = new Date() }: ReadOptions = {}): HeraldEvent {
  const { value, headers } = message
  if (value !== null && typeof value !== 'string' && !(value instanceof Uint8Array)) {
    throw new InvalidEvent([{ pointer: '', detail: 'The value is neither text nor bytes; send JSON.stringify of it' }])
  }
  const read = readCloudEvent({ value: value === null ? null : Buffer.from(value), headers: toRecordHeaders(headers) })
  // Herald stops here, too; the other checks need the whole event.
  if (!read.ok) throw new InvalidEvent([{ pointer: '', detail: `${read.detail} (${read.code})` }])
  const { time, ...attributes } = read.attributes
  const event = { ...attributes, time: new Date(time).toISOString(), data: read.data } as HeraldEvent
  const issues = [...validateEvent(event, now), ...keyIssues(message, event), ...topicIssues(message, event, topics)]
  if (issues.length > 0) throw new InvalidEvent(issues)
  return event
}

function keyIssues({ key }: AnyMessage, { subscriberid }: HeraldEvent) {
  const isOwn = key?.toString().toLowerCase() === subscriberid
  return isOwn
    ? []
    : [{ pointer: '', detail: 'The key of the record must equal its subscriberid, which keeps events in order' }]
}

function topicIssues({ topic }: AnyMessage, { type }: HeraldEvent, topics: Topics | undefined) {
  const kind = descriptionOf(type)?.topic
  if (topic === undefined || topics === undefined || kind === undefined || topics[kind] === topic) return []
  return [{ pointer: '', detail: `Belongs on the topic ${topics[kind]}, not on ${topic}` }]
}
