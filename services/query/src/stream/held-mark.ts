import type { FeedChange, Position, Selected } from '@herald/store'
import { markEvent, resetEvent, type StreamEvent } from './event-format.ts'

export type PartOfMark = Extract<FeedChange, { kind: 'part-of-bulk-mark' }>
export type HeldMark = ReturnType<typeof createHeldMark>

/** An event, and the last change that it includes. */
export type PlacedEvent = { readonly event: StreamEvent; readonly position: Position }

const idsPerEvent = 1_000
/** Events that one mark becomes at once. Of 39 KB each, many would not fit into the buffer of a client. */
const eventsAtOnce = 4
/** Lists of ids beyond the first one of each mark, about 6 MB. */
const maxFurtherLists = 100

/** Counts the lists of ids that the marks of all feeds hold beyond their first ones. */
export function createListRoom(max = maxFurtherLists) {
  let taken = 0
  return {
    take(): boolean {
      if (taken === max) return false
      taken++
      return true
    },
    giveBack(lists: number): void {
      taken -= lists
    },
  }
}

export type HeldMarkOptions = {
  /** Whether it is known what the mark selects. Otherwise, more ids are kept, to name them if another change comes first. */
  readonly isKnown: boolean
  readonly room: ReturnType<typeof createListRoom>
}

/** The unsent part of a bulk mark: consecutive changes of one feed. */
export function createHeldMark({ mark, ...marked }: PartOfMark, { isKnown, room }: HeldMarkOptions) {
  let lists: { readonly ids: string[]; last: Position }[] = [{ ids: [], last: '' }]
  let isNamed = true
  let newest = ''
  let last: Position = ''

  function addToLists(id: string, position: Position): void {
    if (lists.at(-1)?.ids.length === idsPerEvent) {
      const hasRoom = !isKnown && lists.length < eventsAtOnce && room.take()
      if (hasRoom) lists.push({ ids: [], last: '' })
      else discard()
    }
    const list = lists.at(-1)
    list?.ids.push(id)
    if (list) list.last = position
  }

  /** Forgets the ids. */
  function discard(): void {
    room.giveBack(Math.max(0, lists.length - 1))
    lists = []
    isNamed = false
  }

  return {
    mark,
    get position() {
      return last
    },
    isFull: () => lists[0]?.ids.length === idsPerEvent,
    add({ id }: PartOfMark, position: Position): void {
      if (isNamed) addToLists(id, position)
      if (id > newest) newest = id
      last = position
    },
    discard,
    /**
     * @param selected `undefined` if it is unknown, because the beginning of the mark was not seen and its end has not come.
     * Then `all` could include more than was marked: its ids are named, and where they are too many, the client lists again.
     */
    toEvents(selected: Selected | undefined): readonly PlacedEvent[] {
      const ofLists = lists.map((list) => ({ event: markEvent({ ids: list.ids }, marked), position: list.last }))
      if (ofLists.length === 1) return ofLists
      // Also of a mark of all: one that arrived before its first change may be newer, and is unread.
      if (selected) return [{ event: markEvent({ all: true, upTo: newest, ...selected }, marked), position: last }]
      return isNamed ? ofLists : [{ event: resetEvent('bulk-mark'), position: last }]
    },
  }
}
