import { cloudEventAttributesSchema, deriveEventId, toValidationIssues } from '@herald/contracts'
import type { HeraldEvent } from './event.ts'
import { InvalidEvent } from './invalid-event.ts'

/** The attributes from which the id is derived. */
type Identified = Pick<HeraldEvent, 'id' | 'source' | 'time' | 'subscriberid'>

const identitySchema = cloudEventAttributesSchema.pick({ id: true, source: true, time: true, subscriberid: true })

/**
 * Returns the id of the notification that a mention creates, the same for every recipient. It is derived from the event, so
 * receipts can be sent before Herald has stored the notification.
 */
export function notificationIdOf(event: Identified): string {
  return idOf(event)
}

/** Returns the id of the change entry that a recorded change creates. */
export function changeEntryIdOf(event: Identified): string {
  return idOf(event)
}

function idOf(event: Identified): string {
  const parsed = identitySchema.safeParse(event)
  if (!parsed.success) throw new InvalidEvent(toValidationIssues(parsed.error))
  const { subscriberid: subscriberId, source, id, time } = parsed.data
  return deriveEventId({ subscriberId, source, id, time })
}
