import type { FeedChange, Position } from '@herald/store'
import { readState } from './change-event.ts'
import type { StreamEvent } from './event-format.ts'

type Part = Extract<FeedChange, { kind: 'part-of-bulk-mark' }>
type End = Extract<FeedChange, { kind: 'end-of-bulk-mark' }>

export type HeldMark = ReturnType<typeof createHeldMark>

const mostIds = 1_000

/** The part of a bulk mark that its owner has not been told of yet: consecutive changes of one feed, to be told as one event. */
export function createHeldMark({ mark, readAt }: Part) {
  let ids: string[] | undefined = []
  let last: Position = ''

  return {
    mark,
    /** Where the last of its changes is. */
    get position() {
      return last
    },
    add({ id }: Part, position: Position): void {
      // More than these are not named: the client lists again.
      if (ids?.length === mostIds) ids = undefined
      ids?.push(id)
      last = position
    },
    /** @param end not given when something else comes first; telling it in several parts is as good */
    toEvent(end?: End): StreamEvent {
      return readState(ids ? { ids } : { all: true, upTo: end?.upTo ?? null }, readAt)
    },
  }
}
