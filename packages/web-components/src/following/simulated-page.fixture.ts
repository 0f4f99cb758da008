import { type Effect, type Following, follow, type Input, nextTime, notFollowing } from './following.ts'

/** The path between a page and Herald. */
export type Path = 'works' | 'withholds' | 'refuses' | 'gone'

/** Numbers that look random and are the same in each run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** A page by its rules alone, in a time that the test sets. */
export function createSimulatedPage(random: () => number, onRequest: (effect: Effect, now: number) => void) {
  let state: Following = notFollowing
  let path: Path = 'works'
  let endsAt = Number.POSITIVE_INFINITY

  function dispatch(input: Input, now: number): void {
    const { state: next, effects } = follow(state, input, { now, random })
    state = next
    for (const effect of effects) run(effect, now)
  }

  function run(effect: Effect, now: number): void {
    if (effect !== 'open' && effect !== 'read') return
    onRequest(effect, now)
    const isRefused = path === 'refuses'
    if (effect === 'open') {
      endsAt = Number.POSITIVE_INFINITY
      if (path === 'works') dispatch({ type: 'heard', isLevel: true }, now)
      // The client takes a silent stream for lost.
      else if (path === 'withholds') endsAt = now + 45_000
      else dispatch({ type: 'lost', reason: isRefused ? 'refused' : 'connection', retryInMs: 0 }, now)
    } else if (path === 'works' || path === 'withholds') dispatch({ type: 'read' }, now)
    else dispatch({ type: 'read-failed', isRefused }, now)
  }

  return {
    dispatch,
    get state() {
      return state
    },
    /** Takes effect for the next requests; a live stream breaks. */
    setPath(next: Path, now: number, retryInMs = 0): void {
      path = next
      if (next !== 'works') dispatch({ type: 'lost', reason: 'connection', retryInMs }, now)
    },
    pass(now: number): void {
      if (now >= endsAt) {
        endsAt = Number.POSITIVE_INFINITY
        dispatch({ type: 'lost', reason: 'connection', retryInMs: 0 }, now)
      }
      if (state.stream === 'live') dispatch({ type: 'heard', isLevel: true }, now)
      if (now >= nextTime(state)) dispatch({ type: 'time' }, now)
    },
  }
}
