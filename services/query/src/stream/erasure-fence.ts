import type { Position } from '@herald/store'
import type { Audience, ChangeStep } from './audience.ts'
import type { StreamClient } from './client.ts'
import type { LastErasures } from './last-erasures.ts'

export type ErasureFenceDependencies = {
  readonly listeners: Audience
  readonly lastErasures: LastErasures
  /** Resets a client, which is no listener, at the present position. */
  readonly reset: (client: StreamClient) => void
}

/**
 * Keeps changes from before an erasure from the clients of the live stream. They are reset only once the stream has passed the
 * erasure: the list that they fetch then includes what they were not sent.
 */
export function createErasureFence({ listeners, lastErasures, reset }: ErasureFenceDependencies) {
  const waiting = new Map<StreamClient, Position>()
  return {
    /** To call before a late change is dispatched. If it rejects, the change must not be dispatched. */
    async check(step: ChangeStep): Promise<void> {
      const erasedAt = await lastErasures.after(listeners, step)
      if (!erasedAt) return
      for (const client of listeners.clientsOf(step.owner)) {
        listeners.delete(client)
        waiting.set(client, erasedAt)
      }
    },
    /** To call with each position that the stream has reached. */
    pass(position: Position): void {
      for (const [client, erasedAt] of waiting) {
        if (position <= erasedAt) continue
        waiting.delete(client)
        reset(client)
      }
    },
    forget: (client: StreamClient) => void waiting.delete(client),
  }
}
