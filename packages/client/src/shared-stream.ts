import { abortable, pause } from './pause.ts'
import type { FeedEvent, FollowOptions } from './stream.ts'
import { acquireTabLock } from './tab-lock.ts'
import type { TokenUser } from './token.ts'

type Follow = (options?: FollowOptions) => AsyncGenerator<FeedEvent, never, undefined>
type Events = AsyncGenerator<FeedEvent, void, undefined>

export type SharedFollowDependencies = {
  readonly follow: Follow
  readonly user: () => Promise<TokenUser>
  readonly baseUrl: string
  /** Milliseconds of silence after which the tab that leads is taken for gone. */
  readonly silenceMs: number
  readonly closed: AbortSignal
}

/** Asks the tab that leads for its position, and its answer. */
const [hello, leading] = ['hello', 'leading']
/** Time for it to answer; then another tab leads in its place. */
const answerMs = 5_000
/** Time for the others to learn of a loss, before one of them leads. */
const lossMs = 250
const never = 2 ** 31 - 1

const canShare = () => typeof BroadcastChannel === 'function' && globalThis.navigator?.locks !== undefined

/** With `shared`, the tabs of a user of a base URL share one stream: the one that holds a lock reads it for all. */
export function createSharedFollow({ follow, user, baseUrl, silenceMs, closed }: SharedFollowDependencies): Follow {
  return async function* sharedFollow({ shared, ...options }: FollowOptions = {}) {
    if (!shared) return yield* follow(options)
    const signal = options.signal ? AbortSignal.any([closed, options.signal]) : closed
    let position = options.lastEventId
    for (;;) {
      const lost = { type: 'lost', retryInMs: lossMs, lastEventId: position } as const
      if (!canShare()) {
        yield { ...lost, reason: 'not-shared', retryInMs: never, error: undefined }
        await pause(never, signal)
      }
      let error: unknown
      try {
        yield* share(`herald ${baseUrl} ${await abortable(user(), signal)}`)
      } catch (caught) {
        signal.throwIfAborted()
        error = caught
      }
      yield { ...lost, reason: 'connection', error, lastEventId: position }
      await pause(lossMs, signal)
    }

    /** Follows the tab that leads, and leads when it is gone. Ends if it is silent. */
    async function* share(name: string): Events {
      const channel = new BroadcastChannel(name)
      const left = new AbortController()
      const lock = acquireTabLock(name, { signal: AbortSignal.any([signal, left.signal]), released: left.signal })
      let isLost = false
      try {
        yield* listen(channel, lock)
        for await (const event of lock.isHeld() ? lead(channel, lock.taken) : []) {
          isLost = event.type === 'lost'
          yield event
        }
      } finally {
        channel.close()
        if (isLost) setTimeout(() => left.abort(), lossMs)
        else left.abort()
      }
    }

    /** Yields the events of the tab that leads, until this one holds the lock or the other one is silent. */
    async function* listen(channel: BroadcastChannel, lock: ReturnType<typeof acquireTabLock>): Events {
      const received: FeedEvent[] = []
      let isHeard = false
      let wake = () => {}
      channel.onmessage = ({ data }) => {
        if (data === hello) return
        isHeard = true
        if (data !== leading) received.push(data.joined ? joined(data.joined, position) : data)
        wake()
      }
      void lock.held.then(() => wake())
      channel.postMessage(hello)
      for (;;) {
        for (const event of received.splice(0)) {
          position = event.lastEventId
          yield event
        }
        if (lock.isHeld()) return
        let timer: ReturnType<typeof setTimeout> | undefined
        const waited = new Promise<boolean>((resolve) => {
          timer = setTimeout(() => resolve(true), isHeard ? silenceMs : answerMs)
          wake = () => resolve(false)
        })
        if (!(await abortable(waited, signal).finally(() => clearTimeout(timer)))) continue
        if (isHeard) return
        lock.steal()
      }
    }

    /** Reads the stream for all tabs, until another tab takes the lock. */
    async function* lead(channel: BroadcastChannel, taken: AbortSignal): Events {
      const counts = new Map<string, FeedEvent>()
      let isLevel = false
      channel.onmessage = ({ data }) => {
        if (data !== hello) return
        channel.postMessage(leading)
        if (!isLevel) return
        channel.postMessage({ joined: { type: 'heartbeat', lastEventId: position } })
        for (const event of counts.values()) channel.postMessage({ ...event, lastEventId: position })
      }
      for await (const event of follow({ signal: AbortSignal.any([signal, taken]), lastEventId: position })) {
        position = event.lastEventId
        const { type } = event
        if (type === 'heartbeat' || type === 'reset') isLevel = true
        if (type === 'open' || type === 'lost') isLevel = false
        if (type === 'unread-count' || type === 'seen') counts.set(type, event)
        // An error cannot be cloned.
        channel.postMessage(type === 'lost' ? { ...event, error: undefined } : event)
        yield event
      }
    }
  }
}

/** At another position, events may have been missed. */
const joined = (event: FeedEvent, position: string | undefined): FeedEvent =>
  event.lastEventId === position ? event : { type: 'reset', reason: 'joined', lastEventId: event.lastEventId }
