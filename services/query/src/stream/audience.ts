import type { FeedChange, FeedStep, Position } from '@herald/store'
import { toStreamEvent } from './change-event.ts'
import type { StreamClient } from './client.ts'
import type { StreamEvent } from './event-format.ts'
import { createHeldMark, type HeldMark } from './held-mark.ts'

export type ChangeStep = Extract<FeedStep, { kind: 'change' }>
export type Audience = ReturnType<typeof createAudience>
/** What happened; `undefined` when it can't be understood. */
export type Decode = (step: ChangeStep) => FeedChange | undefined

type Group = {
  readonly clients: Set<StreamClient>
  held: HeldMark | undefined
  timer: NodeJS.Timeout | undefined
}

export type AudienceOptions = {
  readonly decode: Decode
  readonly members?: Iterable<StreamClient>
  /** What is held of a bulk mark is told so many milliseconds after its last change, when neither its end nor anything else comes. */
  readonly heldMs?: number
  /** Called for those who were told by that. */
  readonly onTold?: (clients: readonly StreamClient[]) => void
}

/**
 * Clients, to be found by the feed that they follow.
 *
 * The changes of a bulk mark are held until it ends, to be told as one event, but never longer than until anything else
 * happens to the same feed: so clients see what happened in the order in which it was stored, and end up with the same state.
 */
export function createAudience({ decode, members = [], heldMs, onTold }: AudienceOptions) {
  const groups = new Map<string, Group>()

  function add(client: StreamClient): void {
    const group = groups.get(client.ownerKey)
    if (group) group.clients.add(client)
    else groups.set(client.ownerKey, { clients: new Set([client]), held: undefined, timer: undefined })
  }

  function tellAll({ clients }: Group, event: StreamEvent, position: Position, known = position) {
    const told = [...clients].filter((client) => known > client.position)
    for (const client of told) client.tell(event, position)
    return told
  }

  function hold(group: Group, part: Extract<FeedChange, { kind: 'part-of-bulk-mark' }>, position: Position): void {
    group.held ??= createHeldMark(part)
    group.held.add(part, position)
    clearTimeout(group.timer)
    if (heldMs === undefined) return
    group.timer = setTimeout(() => {
      const told = release(group)
      onTold?.(told)
    }, heldMs).unref()
  }

  function release(group: Group, end?: Extract<FeedChange, { kind: 'end-of-bulk-mark' }>, position?: Position) {
    const { held } = group
    clearTimeout(group.timer)
    group.held = undefined
    return held ? tellAll(group, held.toEvent(end), position ?? held.position, held.position) : []
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
    /** Tells a change to those of its owner who don't know it yet. @returns who was told anything */
    tell(step: ChangeStep): readonly StreamClient[] {
      const group = groups.get(step.owner)
      const change = group && decode(step)
      if (!change) return []
      if (change.kind === 'part-of-bulk-mark') {
        const told = group.held?.mark === change.mark ? [] : release(group)
        hold(group, change, step.position)
        return told
      }
      if (change.kind === 'end-of-bulk-mark') {
        return group.held?.mark === change.mark ? release(group, change, step.position) : []
      }
      const before = release(group)
      return [...new Set([...before, ...tellAll(group, toStreamEvent(change), step.position)])]
    },
    /** Whether something is held that the clients of a feed have not been told of: they are not up to date then. */
    isHolding: (ownerKey: string) => groups.get(ownerKey)?.held !== undefined,
    /** Tells what is held of a feed. */
    tellHeld(ownerKey: string): void {
      const group = groups.get(ownerKey)
      if (group) release(group)
    },
  }
}
