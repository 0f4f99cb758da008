import type { FeedStep } from '@herald/store'
import type { StreamClient } from './client.ts'
import type { StreamEvent } from './event-format.ts'

export type ChangeStep = Extract<FeedStep, { kind: 'change' }>
export type Audience = ReturnType<typeof createAudience>
/** What a change is to its owner; `undefined` when it can't be understood. */
export type ToEvent = (step: ChangeStep) => StreamEvent | undefined

/** Clients, to be found by whose feed they follow. */
export function createAudience(toEvent: ToEvent, members: Iterable<StreamClient> = []) {
  const groups = new Map<string, Set<StreamClient>>()

  function add(client: StreamClient): void {
    const group = groups.get(client.ownerKey)
    if (group) group.add(client)
    else groups.set(client.ownerKey, new Set([client]))
  }

  for (const client of members) add(client)
  return {
    add,
    delete(client: StreamClient): void {
      const group = groups.get(client.ownerKey)
      if (group?.delete(client) && group.size === 0) groups.delete(client.ownerKey)
    },
    has: (client: StreamClient) => groups.get(client.ownerKey)?.has(client) === true,
    isEmpty: () => groups.size === 0,
    members: () => [...groups.values()].flatMap((group) => [...group]),
    /** Tells a change to those of its owner who don't know it yet, and says who they were. */
    tell(step: ChangeStep): readonly StreamClient[] {
      const group = groups.get(step.owner)
      const event = group && toEvent(step)
      if (!event) return []
      const clients = [...group].filter((client) => step.position > client.position)
      for (const client of clients) client.tell(event, step.position)
      return clients
    },
  }
}
