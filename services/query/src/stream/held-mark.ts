import type { FeedChange, Position } from '@herald/store'
import { readState } from './change-event.ts'
import type { StreamEvent } from './event-format.ts'

type Part = Extract<FeedChange, { kind: 'part-of-bulk-mark' }>
type End = Extract<FeedChange, { kind: 'end-of-bulk-mark' }>

export type HeldMark = ReturnType<typeof createHeldMark>

const maxIds = 1_000

/** The unsent part of a bulk mark: consecutive changes of one feed, to be sent as one event. */
export function createHeldMark({ mark, readAt }: Part) {
  let ids: string[] | undefined = []
  let last: Position = ''

  return {
    mark,
    /** The position of the last change. */
    get position() {
      return last
    },
    add({ id }: Part, position: Position): void {
      // Beyond this number, no ids are named, and the client lists again.
      if (ids?.length === maxIds) ids = undefined
      ids?.push(id)
      last = position
    },
    /** @param end `undefined` if another change arrives first; sending a mark in several parts is equivalent */
    toEvent(end?: End): StreamEvent {
      return readState(ids ? { ids } : { all: true, upTo: end?.upTo ?? null }, readAt)
    },
  }
}
