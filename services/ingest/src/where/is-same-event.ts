import { deriveEventId, headerText, isUuid, type RecordHeaders, readCloudEvent } from '@herald/contracts'
import type { Question } from './question.ts'

type SearchedRecord = { readonly value: Buffer | null; readonly headers: RecordHeaders }

/**
 * Whether a record contains the event. Records that are no valid event are compared by the attributes that they have, and
 * text that is not JSON by whether it contains them: such records are dead letters.
 */
export function isSameEvent(record: SearchedRecord, question: Question): boolean {
  const { subscriberId, id } = question
  const event = readCloudEvent(record)
  if (event.ok) {
    const { subscriberid, source, time, id: eventId } = event.attributes
    return subscriberid === subscriberId && deriveEventId({ subscriberId, source, id: eventId, time }) === id
  }
  return question.event !== undefined && hasAttributes(record, question)
}

function hasAttributes({ value, headers }: SearchedRecord, { subscriberId, event, time }: Question): boolean {
  const attributes = readLoosely(value, headers)
  if (attributes === undefined) {
    const text = value?.toString() ?? ''
    return text.includes(`${JSON.stringify(event?.id)}`) && text.includes(`${JSON.stringify(event?.source)}`)
  }
  const { id, source, subscriberid, time: ownTime } = attributes
  if (id !== event?.id || source !== event?.source) return false
  if (typeof subscriberid === 'string' && isUuid(subscriberid) && subscriberid.toLowerCase() !== subscriberId)
    return false
  const parsed = typeof ownTime === 'string' ? Date.parse(ownTime) : Number.NaN
  return Number.isNaN(parsed) || parsed === time.getTime()
}

function readLoosely(value: Buffer | null, headers: RecordHeaders): Record<string, unknown> | undefined {
  if (headerText(headers, 'ce_id') !== undefined) {
    const names = ['id', 'source', 'subscriberid', 'time']
    return Object.fromEntries(names.map((name) => [name, headerText(headers, `ce_${name}`)]))
  }
  try {
    const json: unknown = JSON.parse(value?.toString() ?? '')
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  } catch {
    return undefined
  }
}
