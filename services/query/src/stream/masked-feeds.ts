import type { Audience } from './audience.ts'
import type { StreamClient } from './client.ts'
import type { StreamOptions } from './options.ts'

export type MaskedFeedsDependencies = {
  readonly isListener: Audience['has']
  readonly reset: (client: StreamClient) => void
  readonly options: Pick<StreamOptions, 'minErasedMs' | 'maxErasedMs'>
}

/**
 * Resets clients whose feed an erasure has changed, a while behind the change. Changes within it share one reset, and each is
 * followed by one, because a list may be older than the next change.
 */
export function createMaskedFeeds({ isListener, reset, options }: MaskedFeedsDependencies) {
  const timers = new Map<StreamClient, NodeJS.Timeout>()

  function pass(client: StreamClient): void {
    timers.delete(client)
    // A client that waits at the erasure fence is reset there.
    if (isListener(client)) reset(client)
  }

  return {
    add(clients: readonly StreamClient[]): void {
      const { minErasedMs, maxErasedMs } = options
      for (const client of clients.filter((one) => !timers.has(one))) {
        const milliseconds = minErasedMs + Math.random() * (maxErasedMs - minErasedMs)
        timers.set(client, setTimeout(() => pass(client), milliseconds).unref())
      }
    },
    forget(client: StreamClient): void {
      clearTimeout(timers.get(client))
      timers.delete(client)
    },
  }
}
