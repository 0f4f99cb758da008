import type { FeedEvent, Notification, TokenUser } from '@herald/client'
import { HeraldConnectionError, HeraldProblem } from '@herald/client'
import type { InboxFeedDependencies } from './user-inbox.ts'

/** The path between the page and Herald; on a `silent` one, open connections transfer nothing any more, and new ones work. */
export type Path = 'works' | 'withholds' | 'refuses' | 'gone' | 'silent'

type Source = InboxFeedDependencies['notifications']
type Logged = { readonly owner: string; readonly event: object }
type Connection = { readonly owner: string; at: number; isMute: boolean; isBroken: boolean; wake: () => void }

const silenceMs = 45_000
const heartbeatMs = 15_000

/** Herald as far as an inbox knows it, with a path to it that the test changes. */
export function createSimulatedServer(random: () => number) {
  const feeds = new Map<string, Notification[]>()
  const log: Logged[] = []
  const connections = new Set<Connection>()
  const listeners = new Set<(user: TokenUser) => void>()
  let path: Path = 'works'
  let user: TokenUser = 'ada'
  let seen: TokenUser | undefined
  let stored = 0
  /** Marks and positions of one user that were sent as another one. */
  const strays: string[] = []

  const feedOf = (owner: string) => feeds.get(owner) ?? feeds.set(owner, []).get(owner) ?? []
  const countsOf = (owner: string) => {
    const unreadCount = feedOf(owner).filter(({ readAt }) => readAt === null).length
    return { unreadCount, unseenCount: unreadCount, seenUpTo: null }
  }

  function record(owner: string, event: object): void {
    log.push({ owner, event }, { owner, event: { type: 'unread-count', ...countsOf(owner) } })
    for (const connection of connections) connection.wake()
  }

  const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

  /** A token is asked for, then the request is on its way, then its response. @returns whose it is */
  async function request<Answer>(signal: AbortSignal | undefined, answer: (owner: string) => Answer): Promise<Answer> {
    const owner = ask()
    signal?.throwIfAborted()
    if (owner === null) throw new Error('signed out')
    await pause(random() * 100)
    if (path === 'gone') throw new HeraldConnectionError('gone')
    if (path === 'refuses') {
      const texts = { code: 'unauthorized', title: '', detail: '', errors: [] } as const
      throw new HeraldProblem({ status: 401, requestId: undefined, retryAfterMs: undefined, ...texts })
    }
    const answered = answer(owner)
    await pause(random() * 100)
    signal?.throwIfAborted()
    return answered
  }

  function ask(): TokenUser {
    if (seen !== user) {
      seen = user
      for (const listener of listeners) listener(user)
    }
    return user
  }

  async function* stream(options: Parameters<Source['stream']>[0] = {}): AsyncGenerator<FeedEvent> {
    const { signal, lastEventId } = options
    let last = lastEventId
    const lost = (reason: 'connection' | 'refused'): FeedEvent => ({
      type: 'lost',
      reason,
      retryInMs: 1_000,
      error: undefined,
      lastEventId: last,
    })
    let owner: string
    try {
      owner = await request(signal, (whose) => whose)
    } catch (error) {
      signal?.throwIfAborted()
      yield lost(error instanceof HeraldProblem ? 'refused' : 'connection')
      return
    }
    let wake = () => {}
    const connection: Connection = {
      owner,
      at: log.length,
      isMute: path === 'withholds',
      isBroken: false,
      wake: () => wake(),
    }
    const position = lastEventId?.startsWith(`${owner} `) ? Number(lastEventId.split(' ')[1]) : undefined
    if (position !== undefined) connection.at = position
    else if (lastEventId !== undefined) strays.push(`position ${lastEventId} as ${owner}`)
    connections.add(connection)
    signal?.addEventListener('abort', () => wake(), { once: true })
    let isLevel = false
    let heardAt = Date.now()
    let beatAt = 0
    try {
      for (;;) {
        signal?.throwIfAborted()
        if (connection.isBroken || Date.now() - heardAt >= silenceMs) break
        const next = connection.isMute ? undefined : log[connection.at]
        if (next) {
          connection.at++
          heardAt = Date.now()
          last = `${owner} ${connection.at}`
          if (next.owner === owner) yield { ...next.event, lastEventId: last } as FeedEvent
          continue
        }
        if (!connection.isMute && (!isLevel || Date.now() - beatAt >= heartbeatMs)) {
          beatAt = heardAt = Date.now()
          last = `${owner} ${connection.at}`
          yield { type: 'heartbeat', lastEventId: last }
          if (!isLevel) {
            yield { type: 'unread-count', ...countsOf(owner), lastEventId: `${owner} ${connection.at}` }
          }
          isLevel = true
          continue
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 5_000)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    } finally {
      connections.delete(connection)
    }
    yield lost('connection')
  }

  function mark(owner: string, ids: readonly string[], readAt: string | null): void {
    feeds.set(
      owner,
      feedOf(owner).map((one) => (ids.includes(one.id) ? { ...one, readAt: readAt && (one.readAt ?? readAt) } : one)),
    )
    record(owner, { type: 'read-state', ids, readAt })
  }

  const markOne = (id: string, readAt: string | null, signal: AbortSignal | undefined) =>
    request(signal, (owner) => {
      const known = feedOf(owner).find((one) => one.id === id)
      if (!known) strays.push(`${id} as ${owner}`)
      if (!known) throw new Error(`${owner} has no ${id}`)
      mark(owner, [id], readAt)
      return feedOf(owner).find((one) => one.id === id) as Notification
    })

  const notifications = {
    stream: stream as unknown as Source['stream'],
    counts: ({ signal } = {}) => request(signal, countsOf),
    list: (_, { signal } = {}) =>
      request(signal, (owner) => ({ notifications: [...feedOf(owner)].reverse(), nextCursor: null })),
    markRead: (id, { signal } = {}) => markOne(id, 'then', signal),
    markUnread: (id, { signal } = {}) => markOne(id, null, signal),
    markManyRead: (which, { signal } = {}) =>
      request(signal, (owner) => {
        const upTo = 'upTo' in which ? which.upTo : undefined
        if (!feedOf(owner).some(({ id }) => id === upTo)) strays.push(`all up to ${upTo} as ${owner}`)
        const unread = feedOf(owner).filter(({ id, readAt }) => readAt === null && (!upTo || id <= upTo))
        mark(
          owner,
          unread.map(({ id }) => id),
          'then',
        )
        return { updated: unread.length, ...countsOf(owner) }
      }),
    markSeen: () => Promise.reject(new Error('not simulated')),
  } satisfies Partial<Source>

  return {
    notifications: notifications as unknown as Source,
    session: {
      user: async () => ask(),
      onUser(listener: (user: TokenUser) => void) {
        listeners.add(listener)
        if (seen !== undefined) listener(seen)
        return () => listeners.delete(listener)
      },
    },
    strays,
    get user() {
      return user
    },
    /** The user of the token seen last. */
    get seenUser() {
      return seen
    },
    signIn(next: TokenUser): void {
      user = next
    },
    setPath(next: Path): void {
      path = next === 'silent' ? 'works' : next
      for (const connection of connections) {
        if (next === 'silent' || next === 'withholds') connection.isMute = true
        if (next === 'gone' || next === 'refuses') connection.isBroken = true
        connection.wake()
      }
    },
    arrive(owner: string): void {
      const id = `${String(++stored).padStart(6, '0')}-${owner}`
      feedOf(owner).push({ id, readAt: null, actor: { name: owner } } as Notification)
      record(owner, { type: 'notification', notification: feedOf(owner).at(-1) })
    },
    /** A mark made in another window. */
    markElsewhere(owner: string, isRead: boolean): void {
      const id = feedOf(owner)[Math.floor(random() * feedOf(owner).length)]?.id
      if (id !== undefined) mark(owner, [id], isRead ? 'then' : null)
    },
    truth(owner: string) {
      return {
        unreadCount: countsOf(owner).unreadCount,
        items: [...feedOf(owner)].reverse().map(({ id, readAt }) => `${id}${readAt === null ? '•' : ''}`),
      }
    },
  }
}
