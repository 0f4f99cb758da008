import { type AnnouncedEvent, announcedEventSchema, announcedEvents, toValidationIssues } from '@herald/contracts'
import { InvalidEvent } from './invalid-event.ts'
import type { AnyMessage } from './read-message.ts'

type WithTime<Event> = Event extends unknown ? Omit<Event, 'time'> & { readonly time: string } : never

/** An event that Herald sends: of what happens to notifications. `time` is in RFC 3339, with milliseconds. */
export type Announcement = WithTime<AnnouncedEvent>

const types: readonly string[] = Object.values(announcedEvents).map(({ type }) => type)

/**
 * Reads a record of Herald's topic of announcements. Unknown fields are dropped.
 *
 * @returns `undefined` for an event of an unknown type, which a newer release may send: ignore it
 * @throws InvalidEvent with all issues, if the record is not an event of Herald
 */
export function readAnnouncement({ value }: Pick<AnyMessage, 'value'>): Announcement | undefined {
  const event = parse(value)
  if (typeof event.type === 'string' && !types.includes(event.type)) return undefined
  const read = announcedEventSchema.safeParse(event)
  if (!read.success) throw new InvalidEvent(toValidationIssues(read.error))
  return { ...read.data, time: new Date(read.data.time).toISOString() }
}

function parse(value: AnyMessage['value']): Readonly<Record<string, unknown>> {
  try {
    const event = JSON.parse(String(value))
    if (typeof event === 'object' && event !== null) return event
  } catch {
    // The parser's message quotes the value.
  }
  throw new InvalidEvent([{ pointer: '', detail: 'The value is not a JSON object' }])
}
