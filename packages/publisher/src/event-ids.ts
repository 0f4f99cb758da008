import { cloudEventAttributesSchema, deriveEventId, zodFaults } from '@herald/contracts'
import type { HeraldEvent } from './event.ts'
import { InvalidEvent } from './invalid-event.ts'

/** What of an event makes its id. */
type Identified = Pick<HeraldEvent, 'id' | 'source' | 'time' | 'subscriberid'>

const identitySchema = cloudEventAttributesSchema.pick({ id: true, source: true, time: true, subscriberid: true })

/**
 * The id of the notification that a mention makes, for every recipient the same. It is worked out from the event, so
 * whoever saw the event can send its receipts, before Herald has stored it too.
 */
export function notificationIdOf(event: Identified): string {
  return idOf(event)
}

/** The id of the change entry that a recorded change makes. */
export function changeEntryIdOf(event: Identified): string {
  return idOf(event)
}

function idOf(event: Identified): string {
  const parsed = identitySchema.safeParse(event)
  if (!parsed.success) throw new InvalidEvent(zodFaults(parsed.error))
  const { subscriberid: subscriberId, source, id, time } = parsed.data
  return deriveEventId({ subscriberId, source, id, time })
}
