import type { FeedEvent, Notifications } from '@herald/client'

export type FollowFeedDependencies = {
  readonly stream: Notifications['stream']
  readonly onEvent: (event: FeedEvent) => void
  /** The connection is lost; reconnecting is automatic. */
  readonly onLost: () => void
  /** Herald rejected the stream, and retrying cannot help. */
  readonly onRefused: (error: unknown) => void
}

/** Follows the stream until stopped. A restart resumes at the last position and skips the pause before the next attempt. */
export function followFeed({ stream, onEvent, onLost, onRefused }: FollowFeedDependencies) {
  let lastEventId: string | undefined
  let current = new AbortController()

  async function follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of stream({ signal, lastEventId })) {
        if (signal.aborted) return
        lastEventId = event.lastEventId
        // Token expiry is expected, and the stream reconnects at once.
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
