import { createHeraldClient } from '@herald/client'
import type { Violations } from './violations.ts'

/** A user's client that follows the stream and keeps a list, as a page does. */
export type FeedFollower = {
  /** Resolves when the stream has caught up for the first time and the list was read. */
  ready: Promise<void>
  /** Compares the list and the count with what the service serves now; returns what differs. */
  differences(): Promise<string[]>
  figures(): { notifications: number; read: number; connections: number }
  stop(): Promise<void>
}

export type FeedFollowerOptions = {
  url: string
  token: string
  name: string
  violations: Violations
}

export function followFeed({ url, token, name, violations }: FeedFollowerOptions): FeedFollower {
  const { notifications } = createHeraldClient({ baseUrl: url, token })
  const stopping = new AbortController()
  const { promise: ready, resolve: isReady, reject: failed } = Promise.withResolvers<void>()
  /** By id: when it was read. */
  const list = new Map<string, string | null>()
  const received = new Set<string>()
  let isListed = false
  let unreadCount = 0
  let connections = 0

  const serve = async () => {
    const served = new Map<string, string | null>()
    for await (const { id, readAt } of notifications.iterate({}, { signal: stopping.signal })) served.set(id, readAt)
    return served
  }
  const readList = async () => {
    list.clear()
    for (const [id, readAt] of await serve()) list.set(id, readAt)
    isListed = true
    isReady()
  }
  const follow = async (): Promise<void> => {
    for await (const event of notifications.stream({ signal: stopping.signal })) {
      if (event.type === 'open') connections++
      else if (event.type === 'notification') {
        const { id, readAt } = event.notification
        if (received.has(id)) violations.add('stream', `${name} received ${id} twice`)
        received.add(id)
        list.set(id, readAt)
      } else if (event.type === 'read-state') {
        for (const id of event.ids) if (list.has(id)) list.set(id, event.readAt)
      } else if (event.type === 'unread-count') unreadCount = event.unreadCount
      else if (event.type === 'heartbeat' && !isListed) await readList()
      else if (event.type === 'reset') {
        violations.add('stream', `the stream of ${name} was reset: ${event.reason}`)
        await readList()
      }
    }
  }
  const following = follow().catch((error) => {
    if (stopping.signal.aborted) return
    failed(error)
    violations.add('stream', `the stream of ${name} failed: ${error}`)
  })
  ready.catch(() => {})

  return {
    ready,
    async differences() {
      const served = await serve()
      const unread = [...served.values()].filter((readAt) => readAt === null).length
      return [
        ...[...served.keys()].filter((id) => !list.has(id)).map((id) => `${name} lacks ${id}`),
        ...[...list.keys()].filter((id) => !served.has(id)).map((id) => `${name} has ${id}, which is not in the list`),
        ...[...served]
          .filter(([id, readAt]) => list.has(id) && list.get(id) !== readAt)
          .map(([id, readAt]) => `${name} has ${id} as read at ${list.get(id)} instead of ${readAt}`),
        ...(unreadCount === unread ? [] : [`${name} counts ${unreadCount} unread instead of ${unread}`]),
      ]
    },
    figures: () => ({
      notifications: list.size,
      read: [...list.values()].filter((readAt) => readAt !== null).length,
      connections,
    }),
    async stop() {
      stopping.abort()
      await following
    },
  }
}
