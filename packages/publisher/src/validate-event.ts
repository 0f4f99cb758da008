import {
  cloudEventAttributesSchema,
  type EventDescription,
  events,
  limits,
  toValidationIssues,
  type ValidationIssue,
} from '@herald/contracts'

const descriptions: readonly EventDescription[] = Object.values(events)

/** Describes a type of events; `undefined` for an unknown type. */
export const descriptionOf = (type: unknown) => descriptions.find((description) => description.type === type)

/** Returns the validation issues for which Herald would reject an event, given as parsed JSON; empty if it is valid. */
export function validateEvent(event: Readonly<Record<string, unknown>>, now: Date): ValidationIssue[] {
  const attributes = cloudEventAttributesSchema.safeParse(event)
  const issues = attributes.success ? timeIssues(attributes.data.time, now) : toValidationIssues(attributes.error)
  const description = descriptionOf(event.type)
  if (!description) return [...issues, { pointer: '/type', detail: 'Unknown event type' }]
  const data = description.data.safeParse(event.data)
  return data.success ? issues : [...issues, ...toValidationIssues(data.error).map(underData)]
}

const underData = ({ pointer, detail }: ValidationIssue): ValidationIssue => ({ pointer: `/data${pointer}`, detail })

function timeIssues(time: number, now: Date): ValidationIssue[] {
  const isAhead = time > now.getTime() + limits.eventFutureMs
  return isAhead ? [{ pointer: '/time', detail: 'Is more than 5 minutes in the future' }] : []
}
