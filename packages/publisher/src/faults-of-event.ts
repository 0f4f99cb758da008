import {
  cloudEventAttributesSchema,
  type EventDescription,
  events,
  type InputFault,
  limits,
  zodFaults,
} from '@herald/contracts'

const descriptions: readonly EventDescription[] = Object.values(events)

/** Describes a type of events; `undefined` for an unknown type. */
export const descriptionOf = (type: unknown) => descriptions.find((description) => description.type === type)

/** Returns the reasons for which Herald would reject an event, given as parsed JSON; empty if it is valid. */
export function faultsOfEvent(event: Readonly<Record<string, unknown>>, now: Date): InputFault[] {
  const attributes = cloudEventAttributesSchema.safeParse(event)
  const faults = attributes.success ? timeFaults(attributes.data.time, now) : zodFaults(attributes.error)
  const description = descriptionOf(event.type)
  if (!description) return [...faults, { pointer: '/type', detail: 'Unknown event type' }]
  const data = description.data.safeParse(event.data)
  return data.success ? faults : [...faults, ...zodFaults(data.error).map(underData)]
}

const underData = ({ pointer, detail }: InputFault): InputFault => ({ pointer: `/data${pointer}`, detail })

function timeFaults(time: number, now: Date): InputFault[] {
  const isAhead = time > now.getTime() + limits.eventFutureMs
  return isAhead ? [{ pointer: '/time', detail: 'Is more than 5 minutes in the future' }] : []
}
