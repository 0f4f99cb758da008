import { formatTimestamp } from '@herald/contracts'
import type { FeedChange } from '@herald/store'

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

/** Encodes the time in milliseconds to wait before reconnecting. */
export function encodeRetry(milliseconds: number): string {
  return `retry: ${Math.round(milliseconds)}\n\n`
}

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
  which: { ids: readonly string[] } | { all: true; upTo: string },
  readAt: Date | null,
): StreamEvent {
  return { event: 'read-state', data: JSON.stringify({ ...which, readAt: readAt && formatTimestamp(readAt) }) }
}
