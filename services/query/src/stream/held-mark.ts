import type { FeedChange, Selected } from '@herald/feed'
import type { Position } from '@herald/store'
import { markEvent, resetEvent, type StreamEvent } from './event-format.ts'

export type PartOfMark = Extract<FeedChange, { kind: 'part-of-bulk-mark' }>
export type HeldMark = ReturnType<typeof createHeldMark>

const maxIds = 1_000

/** The unsent part of a bulk mark: the changes of one feed, among which only notifications have arrived. */
export function createHeldMark({ mark, ...marked }: PartOfMark) {
  let ids: string[] | undefined = []
  let newest = ''
  let oldestArrival: string | undefined
  let last: Position = ''

  return {
    mark,
    /** The last change that it includes, or that was sent ahead of it. */
    get position() {
      return last
    },
    add({ id }: PartOfMark, position: Position): void {
      if (ids?.length === maxIds) ids = undefined
      ids?.push(id)
      if (id > newest) newest = id
      last = position
    },
    /** A notification that is not part of the mark was sent ahead of it. */
    passedBy(id: string, position: Position): void {
      if (oldestArrival === undefined || id < oldestArrival) oldestArrival = id
      last = position
    },
    /**
     * @param selected `undefined` if it is unknown, because the beginning of the mark was not seen and its end has not come, or if
     * a part of the mark was sent before. Then `all` could include more than was marked: where ids are too many to be named, the
     * client lists again.
     */
    toEvent(selected: Selected | undefined): StreamEvent {
      if (ids) return markEvent({ ids }, marked)
      // A mark of all has an end, too: a notification that arrived before its first change may be newer, and is unread.
      const which = selected && { all: true as const, upTo: newest, ...selected }
      const includesArrival = which && oldestArrival !== undefined && oldestArrival <= which.upTo
      return which && !includesArrival ? markEvent(which, marked) : resetEvent('bulk-mark')
    },
  }
}
