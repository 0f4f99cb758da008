import { readCloudEvent } from '@herald/contracts'
import type { HeraldEvent } from './event.ts'
import { descriptionOf, faultsOfEvent } from './faults-of-event.ts'
import { InvalidEvent } from './invalid-event.ts'
import type { Topics } from './message.ts'

/** A record as clients of Kafka have it, before it is sent or after it was read. */
export type AnyMessage = {
  readonly topic?: string | undefined
  readonly key?: Buffer | string | null | undefined
  readonly value: Buffer | string | null
  readonly headers?: Readonly<Record<string, Buffer | string | (Buffer | string)[] | undefined>> | undefined
}

export type ReadOptions = { readonly topics?: Topics | undefined; readonly now?: Date | undefined }

/**
 * The event in a message, by the rules that Herald reads it by, in either mode.
 *
 * @throws InvalidEvent with every fault, when Herald would not take it or could not keep it in order
 */
export function readMessage(message: AnyMessage, { topics, now = new Date() }: ReadOptions = {}): HeraldEvent {
  const { value, headers = {} } = message
  const read = readCloudEvent({ value: value === null ? null : Buffer.from(value), headers })
  // Here Herald would stop; what else is wrong is told by those who know the whole event.
  if (!read.ok) throw new InvalidEvent([{ pointer: '', detail: `${read.detail} (${read.code})` }])
  const { time, ...attributes } = read.attributes
  const event = { ...attributes, time: new Date(time).toISOString(), data: read.data } as HeraldEvent
  const faults = [...faultsOfEvent(event, now), ...keyFaults(message, event), ...topicFaults(message, event, topics)]
  if (faults.length > 0) throw new InvalidEvent(faults)
  return event
}

function keyFaults({ key }: AnyMessage, { subscriberid }: HeraldEvent) {
  const isOwn = key?.toString().toLowerCase() === subscriberid
  return isOwn ? [] : [{ pointer: '', detail: 'The key of the record is not its subscriberid: order is lost' }]
}

function topicFaults({ topic }: AnyMessage, { type }: HeraldEvent, topics: Topics | undefined) {
  const kind = descriptionOf(type)?.topic
  if (topic === undefined || topics === undefined || kind === undefined || topics[kind] === topic) return []
  return [{ pointer: '', detail: `Belongs on the topic ${topics[kind]}, not on ${topic}` }]
}
