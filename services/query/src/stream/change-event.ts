import { formatTimestamp } from '@herald/contracts'
import type { FeedChange } from '@herald/store'
import type { StreamEvent } from './event-format.ts'

type Single = Extract<FeedChange, { kind: 'notification' | 'read-state' | 'retracted' | 'erased' }>

/** Encodes a change as the event that its owner receives. */
export function toStreamEvent(change: Single): StreamEvent {
  if (change.kind === 'notification') return { event: 'notification', data: change.json }
  if (change.kind === 'retracted') return { event: 'retracted', data: JSON.stringify({ ids: [change.id] }) }
  if (change.kind === 'erased') return { event: 'retracted', data: JSON.stringify({ all: true, upTo: change.upTo }) }
  return readState({ ids: [change.id] }, change.readAt)
}

/** The read state of the given ids, or of all notifications up to one. */
export function readState(
  which: { ids: readonly string[] } | { all: true; upTo: string | null },
  readAt: Date | null,
): StreamEvent {
  return { event: 'read-state', data: JSON.stringify({ ...which, readAt: readAt && formatTimestamp(readAt) }) }
}
