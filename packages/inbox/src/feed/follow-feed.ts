import type { FeedEvent, Notifications } from '@herald/client'

export type FollowFeedDependencies = {
  readonly stream: Notifications['stream']
  readonly onEvent: (event: FeedEvent) => void
  /** The connection is lost; it is sought again without being asked. */
  readonly onLost: () => void
  /** Herald does not want to be followed, and asking again would not change that. */
  readonly onRefused: (error: unknown) => void
}

/** Follows the stream until it is stopped; a restart goes on where it was, without the pause before the next attempt. */
export function followFeed({ stream, onEvent, onLost, onRefused }: FollowFeedDependencies) {
  let lastEventId: string | undefined
  let current = new AbortController()

  async function follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of stream({ signal, lastEventId })) {
        if (signal.aborted) return
        lastEventId = event.lastEventId
        // A token that has expired, or a server that makes way for another, is nobody's trouble: it goes on at once.
        if (event.type !== 'lost') onEvent(event)
        else if (event.reason !== 'expired') onLost()
      }
    } catch (error) {
      if (!signal.aborted) onRefused(error)
    }
  }

  function start(): void {
    current.abort()
    current = new AbortController()
    void follow(current.signal)
  }

  return { start, restart: start, stop: () => current.abort() }
}
