import { formatTimestamp } from '@herald/contracts'
import type { FeedChange } from '@herald/store'
import { notificationJson } from '../notifications/notification-json.ts'
import type { StreamEvent } from './event-format.ts'

/** The one event that a change is to its owner. */
export function toStreamEvent(change: FeedChange): StreamEvent {
  switch (change.kind) {
    case 'notification':
      return { event: 'notification', data: notificationJson(change.notification) }
    case 'read-state':
      return readState({ ids: [change.id] }, change.readAt)
    case 'bulk-mark':
      return readState(change.ids ? { ids: change.ids } : { all: true, upTo: change.upTo }, change.readAt)
  }
}

function readState(which: object, readAt: Date | null): StreamEvent {
  return { event: 'read-state', data: JSON.stringify({ ...which, readAt: readAt && formatTimestamp(readAt) }) }
}
