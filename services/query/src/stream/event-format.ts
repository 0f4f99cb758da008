import { formatTimestamp } from '@herald/contracts'
import type { FeedChange, Marked, Selected } from '@herald/feed'

/** An event of a stream (WHATWG HTML, 9.2): its name, its data as JSON, and the id to resume from. */
export type StreamEvent = { readonly event: string; readonly data: string; readonly id?: string | undefined }

const lineEnd = /\r\n|\r|\n/

/** Encodes an event with the empty line that ends it. */
export function encodeEvent({ event, data, id }: StreamEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  const dataLines = data
    .split(lineEnd)
    .map((line) => `data: ${line}\n`)
    .join('')
  return `${idLine}event: ${event}\n${dataLines}\n`
}

/**
 * Encodes the time in milliseconds to wait before reconnecting, as the first line of the block of the next event: many libraries
 * hand on a block without `data` as an event.
 */
export function encodeRetry(milliseconds: number): string {
  return `retry: ${Math.round(milliseconds)}\n`
}

type Single = Exclude<FeedChange, { kind: `${string}-of-bulk-mark` | 'masked' }>

/** Encodes a change as the event that its owner receives. */
export function toStreamEvent(change: Single): StreamEvent {
  if (change.kind === 'notification') return { event: 'notification', data: change.json }
  if (change.kind === 'retracted') return { event: 'retracted', data: JSON.stringify({ ids: [change.id] }) }
  if (change.kind === 'erased') return { event: 'retracted', data: JSON.stringify({ all: true, upTo: change.upTo }) }
  if (change.kind === 'seen') return { event: 'seen', data: JSON.stringify({ seenUpTo: change.upTo }) }
  const which = { ids: [change.id] }
  return change.kind === 'read-state'
    ? stateEvent('read-state', which, { readAt: change.readAt })
    : stateEvent('archive-state', which, { archivedAt: change.archivedAt })
}

type Which = { readonly ids: readonly string[] } | ({ readonly all: true } & Selected)

/** The change by a mark of the given ids, or of all notifications that it selected. */
export const markEvent = (which: Which, { action, at }: Marked): StreamEvent =>
  action === 'read'
    ? stateEvent('read-state', which, { readAt: at })
    : stateEvent('archive-state', which, { archivedAt: at })

/** Why a client must list again; `bulk-mark`: the ids of a mark were too many to name, and what it selected is unknown. */
export type ResetReason = 'unknown-id' | 'too-old' | 'erased' | 'bulk-mark' | 'restored'

export const resetEvent = (reason: ResetReason): StreamEvent => ({ event: 'reset', data: JSON.stringify({ reason }) })

function stateEvent(event: string, which: Which, state: Readonly<Record<string, Date | null>>): StreamEvent {
  const times = Object.entries(state).map(([name, time]) => [name, time && formatTimestamp(time)])
  return { event, data: JSON.stringify({ ...which, ...Object.fromEntries(times) }) }
}
