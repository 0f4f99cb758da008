import type { FeedChange, FeedStep, Position, Selected } from '@herald/store'
import type { StreamClient } from './client.ts'
import { markEvent, type StreamEvent, toStreamEvent } from './event-format.ts'

export type ChangeStep = Extract<FeedStep, { kind: 'change' }>
export type Audience = ReturnType<typeof createAudience>
/** Returns the change, or `undefined` if it cannot be decoded. */
export type Decode = (step: ChangeStep) => FeedChange | undefined

type Part = Extract<FeedChange, { kind: 'part-of-bulk-mark' }>
type Bound = Extract<FeedChange, { kind: 'begin-of-bulk-mark' | 'end-of-bulk-mark' }>

type Group = {
  readonly clients: Set<StreamClient>
  held: ReturnType<typeof createHeldMark> | undefined
  /** The restricted mark that has begun. */
  begun: Bound | undefined
  /** The mark of which a part was sent before its end. Its other parts name ids: a client may know of later changes. */
  split: string | undefined
  timer: NodeJS.Timeout | undefined
}

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

  function hold(group: Group, part: Part, position: Position): void {
    group.held ??= createHeldMark(part)
    group.held.add(part, position)
    clearTimeout(group.timer)
    if (heldMs === undefined) return
    group.timer = setTimeout(() => {
      const sent = release(group)
      onTimeout?.(sent)
    }, heldMs).unref()
  }

  function release(group: Group, end?: Bound, position?: Position) {
    const { held, begun } = group
    clearTimeout(group.timer)
    group.held = undefined
    if (held) group.split = end ? undefined : held.mark
    return held ? sendToAll(group, held.toEvent(end ?? begun), position ?? held.position, held.position) : []
  }

  for (const client of members) add(client)
  return {
    add,
    delete(client: StreamClient): void {
      const group = groups.get(client.ownerKey)
      if (!group?.clients.delete(client) || group.clients.size > 0) return
      clearTimeout(group.timer)
      groups.delete(client.ownerKey)
    },
    has: (client: StreamClient) => groups.get(client.ownerKey)?.clients.has(client) === true,
    isEmpty: () => groups.size === 0,
    members: () => [...groups.values()].flatMap(({ clients }) => [...clients]),
    /** Sends a change to the clients of its owner that are behind it. @returns the clients that were sent an event */
    dispatch(step: ChangeStep): readonly StreamClient[] {
      const group = groups.get(step.owner)
      const change = group && decode(step)
      if (!change) return []
      if (change.kind === 'part-of-bulk-mark') {
        const isFull = group.split === change.mark && group.held?.isFull()
        const sent = group.held?.mark === change.mark && !isFull ? [] : release(group)
        hold(group, change, step.position)
        return sent
      }
      if (change.kind === 'begin-of-bulk-mark') {
        group.begun = change
        return []
      }
      if (change.kind === 'end-of-bulk-mark') {
        return group.held?.mark === change.mark ? release(group, change, step.position) : []
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

const newGroup = (client: StreamClient): Group => {
  const nothing = { held: undefined, begun: undefined, split: undefined, timer: undefined }
  return { clients: new Set([client]), ...nothing }
}

const maxIds = 1_000

/** The unsent part of a bulk mark: consecutive changes of one feed, to be sent as one event. */
function createHeldMark({ mark, ...marked }: Part) {
  let ids: string[] | undefined = []
  let newest = ''
  let last: Position = ''

  return {
    mark,
    get position() {
      return last
    },
    isFull: () => ids?.length === maxIds,
    add({ id }: Part, position: Position): void {
      // Beyond this number, no ids are named, and the client lists again.
      if (ids?.length === maxIds) ids = undefined
      ids?.push(id)
      if (id > newest) newest = id
      last = position
    },
    /** @param bound unless it is of this mark, another change has arrived first; several parts of a mark are equivalent */
    toEvent(bound?: Bound): StreamEvent {
      const selected: Selected = bound?.mark === mark ? bound.selected : {}
      // Also of a mark of all: one that arrived before its first change may be newer, and is unread.
      return markEvent(ids ? { ids } : { all: true, upTo: newest, ...selected }, marked)
    },
  }
}
