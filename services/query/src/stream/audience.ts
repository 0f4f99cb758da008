import type { FeedChange, FeedStep, Position, Selected } from '@herald/store'
import type { StreamClient } from './client.ts'
import { type StreamEvent, toStreamEvent } from './event-format.ts'
import { createHeldMark, createListRoom, type HeldMark, type PartOfMark } from './held-mark.ts'

export type ChangeStep = Extract<FeedStep, { kind: 'change' }>
export type Audience = ReturnType<typeof createAudience>
/** Returns the change, or `undefined` if it cannot be decoded. */
export type Decode = (step: ChangeStep) => FeedChange | undefined

type EndOfMark = Extract<FeedChange, { kind: 'end-of-bulk-mark' }>

/** A mark that has not ended, as far as it is known. */
type OpenMark = {
  /** The selection, if it is restricted and its beginning was seen. */
  readonly selected: Selected | undefined
  /** Whether a part was sent before its end. Its other parts name ids: a client may know of later changes. */
  readonly isSplit: boolean
}

type Group = {
  readonly clients: Set<StreamClient>
  held: HeldMark | undefined
  /** By mark; the last one to have changed is the last. */
  readonly openMarks: Map<string, OpenMark>
  timer: NodeJS.Timeout | undefined
}

/** Some never end, because their process was killed. */
const maxOpenMarks = 16

export type AudienceOptions = {
  readonly decode: Decode
  readonly members?: Iterable<StreamClient>
  /** Time after its last change at which a held bulk mark is sent, if neither its end nor another change arrives. */
  readonly heldMs?: number
  /** Called with the clients that were sent a mark after that time. */
  readonly onTimeout?: (clients: readonly StreamClient[]) => void
}

/**
 * Clients by the feed that they follow.
 *
 * The changes of a bulk mark are held until it ends, to be sent as one event, but not beyond another change of the same
 * feed. So clients receive changes in the order of storage and end with the stored state.
 */
export function createAudience({ decode, members = [], heldMs, onTimeout }: AudienceOptions) {
  const groups = new Map<string, Group>()
  const room = createListRoom()

  function add(client: StreamClient): void {
    const group = groups.get(client.ownerKey)
    if (group) group.clients.add(client)
    else groups.set(client.ownerKey, newGroup(client))
  }

  function sendToAll({ clients }: Group, event: StreamEvent, position: Position, known = position) {
    const sent = [...clients].filter((client) => known > client.position)
    const encoded = sent[0]?.encode(event, position)
    if (encoded) for (const client of sent) client.sendEncoded(encoded, position)
    return sent
  }

  function remember({ openMarks }: Group, mark: string, open: OpenMark): void {
    openMarks.delete(mark)
    openMarks.set(mark, open)
    const [oldest] = openMarks.keys()
    if (openMarks.size > maxOpenMarks && oldest !== undefined) openMarks.delete(oldest)
  }

  function hold(group: Group, part: PartOfMark, position: Position): void {
    group.held ??= createHeldMark(part, { isKnown: group.openMarks.get(part.mark)?.selected !== undefined, room })
    group.held.add(part, position)
    clearTimeout(group.timer)
    if (heldMs === undefined) return
    group.timer = setTimeout(() => {
      const sent = release(group)
      onTimeout?.(sent)
    }, heldMs).unref()
  }

  function drop(group: Group): void {
    clearTimeout(group.timer)
    group.held?.discard()
    group.held = undefined
  }

  function release(group: Group, end?: EndOfMark, position?: Position): readonly StreamClient[] {
    const { held } = group
    if (!held) return []
    const selected = end ? end.selected : group.openMarks.get(held.mark)?.selected
    const events = held.toEvents(selected)
    drop(group)
    if (!end) remember(group, held.mark, { selected, isSplit: true })
    const sent = events.flatMap(({ event, position: last }) =>
      sendToAll(group, event, last === held.position ? (position ?? last) : last, last),
    )
    return [...new Set(sent)]
  }

  for (const client of members) add(client)
  return {
    add,
    delete(client: StreamClient): void {
      const group = groups.get(client.ownerKey)
      if (!group?.clients.delete(client) || group.clients.size > 0) return
      drop(group)
      groups.delete(client.ownerKey)
    },
    has: (client: StreamClient) => groups.get(client.ownerKey)?.clients.has(client) === true,
    clientsOf: (ownerKey: string): readonly StreamClient[] => [...(groups.get(ownerKey)?.clients ?? [])],
    isEmpty: () => groups.size === 0,
    members: () => [...groups.values()].flatMap(({ clients }) => [...clients]),
    /** Sends a change to the clients of its owner that are behind it. @returns the clients that were sent an event */
    dispatch(step: ChangeStep): readonly StreamClient[] {
      const group = groups.get(step.owner)
      const change = group && decode(step)
      if (!change) return []
      if (change.kind === 'part-of-bulk-mark') {
        const isFull = group.held?.isFull() && group.openMarks.get(change.mark)?.isSplit
        const sent = group.held?.mark === change.mark && !isFull ? [] : release(group)
        hold(group, change, step.position)
        return sent
      }
      if (change.kind === 'begin-of-bulk-mark') {
        remember(group, change.mark, { selected: change.selected, isSplit: false })
        return []
      }
      if (change.kind === 'end-of-bulk-mark') {
        const sent = group.held?.mark === change.mark ? release(group, change, step.position) : []
        group.openMarks.delete(change.mark)
        return sent
      }
      const before = release(group)
      return [...new Set([...before, ...sendToAll(group, toStreamEvent(change), step.position)])]
    },
    /** Whether a mark is held for a feed: its clients are not up to date then. */
    hasHeldMark: (ownerKey: string) => groups.get(ownerKey)?.held !== undefined,
    flush(ownerKey: string): void {
      const group = groups.get(ownerKey)
      if (group) release(group)
    },
  }
}

const newGroup = (client: StreamClient): Group => ({
  clients: new Set([client]),
  held: undefined,
  openMarks: new Map(),
  timer: undefined,
})
