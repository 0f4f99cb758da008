import type { FeedChange, FeedStep, Selected } from '@herald/feed'
import type { Position } from '@herald/store'
import type { StreamClient } from './client.ts'
import { type StreamEvent, toStreamEvent } from './event-format.ts'
import { createHeldMark, type HeldMark, type PartOfMark } from './held-mark.ts'

export type ChangeStep = Extract<FeedStep, { kind: 'change' }>
export type Audience = ReturnType<typeof createAudience>
/** Returns the change, or `undefined` if it cannot be decoded. */
export type Decode = (step: ChangeStep) => FeedChange | undefined

type EndOfMark = Extract<FeedChange, { kind: 'end-of-bulk-mark' }>
type Arrival = Extract<FeedChange, { kind: 'notification' }>

/** A mark that has not ended, as far as it is known. */
type OpenMark = {
  /** The selection, if its beginning was seen. */
  readonly selected: Selected | undefined
  /** Whether a part was sent before its end. The others never say `all`: a client may know of later changes. */
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
  /** Called with the clients behind a change that an erasure made in their feed. They must list again. */
  readonly onMasked: (clients: readonly StreamClient[]) => void
}

/**
 * Clients by the feed that they follow.
 *
 * The changes of a bulk mark are held until it ends, to be sent as one event. Notifications that arrive meanwhile, which no mark
 * includes, are sent ahead of it; any other change of the same feed is sent after what is held. So clients receive changes in an
 * order that ends with the stored state.
 */
export function createAudience({ decode, members = [], heldMs, onTimeout, onMasked }: AudienceOptions) {
  const groups = new Map<string, Group>()

  function add(client: StreamClient): void {
    const group = groups.get(client.ownerKey)
    if (group) group.clients.add(client)
    else groups.set(client.ownerKey, newGroup(client))
  }

  const behind = ({ clients }: Group, position: Position) => [...clients].filter((client) => position > client.position)

  function sendToAll(group: Group, event: StreamEvent, position: Position, known = position): StreamClient[] {
    const sent = behind(group, known)
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
    group.held ??= createHeldMark(part)
    group.held.add(part, position)
    clearTimeout(group.timer)
    if (heldMs === undefined) return
    group.timer = setTimeout(() => {
      const sent = release(group)
      onTimeout?.(sent)
    }, heldMs).unref()
  }

  /** Sends an arrival ahead of the held mark. It gets no id, because who resumes from it would miss the mark. */
  function sendAhead(group: Group, held: HeldMark, arrival: Arrival, position: Position): readonly StreamClient[] {
    held.passedBy(JSON.parse(arrival.json).id, position)
    const sent = behind(group, position)
    for (const client of sent) client.sendWithoutId(toStreamEvent(arrival))
    return sent
  }

  function drop(group: Group): void {
    clearTimeout(group.timer)
    group.held = undefined
  }

  function release(group: Group, end?: EndOfMark, position?: Position): readonly StreamClient[] {
    const { held } = group
    if (!held) return []
    const open = group.openMarks.get(held.mark)
    const selected = open?.isSplit ? undefined : (end?.selected ?? open?.selected)
    drop(group)
    if (!end) remember(group, held.mark, { selected, isSplit: true })
    return sendToAll(group, held.toEvent(selected), position ?? held.position, held.position)
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
      if (change.kind === 'masked') {
        onMasked(behind(group, step.position))
        return []
      }
      if (change.kind === 'part-of-bulk-mark') {
        const sent = group.held?.mark === change.mark ? [] : release(group)
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
      if (change.kind === 'notification' && group.held) return sendAhead(group, group.held, change, step.position)
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
