import { type FeedEvent, type HeraldClient, isHeraldProblem, type Notifications, type TokenUser } from '@herald/client'
import { type Effect, type Following, follow, type Input, nextTime, notFollowing, type Phase } from './following.ts'

type Counts = Awaited<ReturnType<Notifications['counts']>>

export type FollowerDependencies = {
  readonly source: Pick<Notifications, 'stream' | 'counts'>
  readonly session: HeraldClient['session'] | undefined
  readonly onEvent: (event: FeedEvent) => void
  readonly onPhase: (phase: Phase) => void
  /** Whether they differ from those shown. */
  readonly differs: (counts: Counts) => boolean
  readonly onCounts: (counts: Counts, phase: Phase) => void
  readonly onRefused: (error: unknown) => void
  /** Another user is signed in, or nobody. */
  readonly onOtherUser: (user: TokenUser) => void
}

/** A read that began a moment ago answers whoever asks now. */
const sharedReadMs = 500
const longestTimer = 2 ** 31 - 1

/** Does what {@link follow} decides: opens the stream, reads the counts, and asks whose token it is. */
export function createFollower(dependencies: FollowerDependencies) {
  const { source, session, onEvent, onPhase, onCounts, onRefused, onOtherUser } = dependencies
  let state: Following = notFollowing
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastEventId: string | undefined
  let streaming = new AbortController()
  let reading = new AbortController()
  let readAt = Number.NEGATIVE_INFINITY
  let user: TokenUser | undefined
  let unsubscribe = () => {}

  function dispatch(input: Input): void {
    const before = state.phase
    const step = follow(state, input, { now: Date.now(), random: Math.random })
    state = step.state
    if (state.phase !== before || input.type === 'start') onPhase(state.phase)
    for (const effect of step.effects) effects[effect]()
    clearTimeout(timer)
    const next = nextTime(state)
    if (next !== Number.POSITIVE_INFINITY) {
      timer = setTimeout(() => dispatch({ type: 'time' }), Math.min(Math.max(0, next - Date.now()), longestTimer))
    }
  }

  async function openStream(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of source.stream({ signal, lastEventId, shared: true })) {
        if (signal.aborted) return
        lastEventId = event.lastEventId
        if (event.type === 'lost') {
          onLost(event)
          // The next attempt is decided here, unless the token has just expired.
          if (event.reason !== 'expired') return
        } else if (event.type !== 'open') {
          const isLevel = event.type === 'heartbeat' || event.type === 'reset'
          dispatch({ type: 'heard', isLevel })
          onEvent(event)
          // The stream says nothing of what was seen before.
          if (event.type === 'reset') effects.read()
        }
      }
    } catch (error) {
      if (!signal.aborted) onLost({ reason: 'connection', error, retryInMs: 0 })
    }
  }

  type Loss = Pick<Extract<FeedEvent, { type: 'lost' }>, 'reason' | 'error' | 'retryInMs'>
  function onLost({ reason, error, retryInMs }: Loss): void {
    const isRefused = reason === 'refused'
    if (reason === 'expired') dispatch({ type: 'lost', reason })
    else if (reason === 'not-shared') dispatch({ type: 'lost', reason: 'withheld' })
    else dispatch({ type: 'lost', reason: isRefused ? 'refused' : 'connection', retryInMs })
    if (isRefused) onRefused(error)
  }

  async function readCounts({ signal }: AbortController): Promise<void> {
    try {
      const counts = await source.counts({ signal, poll: state.phase === 'polling' })
      if (signal.aborted) return
      dispatch({ type: 'read', differs: dependencies.differs(counts) })
      onCounts(counts, state.phase)
    } catch (error) {
      if (signal.aborted) return
      dispatch({ type: 'read-failed', isRefused: isHeraldProblem(error) })
    }
    readAt = Number.NEGATIVE_INFINITY
  }

  const effects: Readonly<Record<Effect, () => void>> = {
    open() {
      streaming.abort()
      streaming = new AbortController()
      void openStream(streaming.signal)
    },
    close: () => streaming.abort(),
    read() {
      if (Date.now() - readAt < sharedReadMs) return
      reading.abort()
      reading = new AbortController()
      readAt = Date.now()
      void readCounts(reading)
    },
    check: () => void session?.user().catch(() => {}),
  }

  function onUser(next: TokenUser): void {
    const before = user
    user = next
    if (before === next || (before === undefined && next !== null)) return
    reading.abort()
    lastEventId = undefined
    readAt = Number.NEGATIVE_INFINITY
    onOtherUser(next)
    dispatch({ type: next === null ? 'signed-out' : 'start' })
  }

  return {
    dispatch,
    get phase() {
      return state.phase
    },
    start(): void {
      unsubscribe = session?.onUser(onUser) ?? unsubscribe
      if (user !== null) dispatch({ type: 'start' })
    },
    stop(): void {
      unsubscribe()
      clearTimeout(timer)
      streaming.abort()
      reading.abort()
    },
  }
}
