/**
 * How the inbox knows what is new. The stream is one source; counts are the other one.
 * - `catching-up`: the stream is being opened
 * - `live`: the stream tells everything
 * - `polling`: the counts are read at times, because the stream does not tell anything
 * - `refused`: whoever is in the path rejects requests
 * - `away`: there is no connection
 * - `signed-out`: there is no token
 */
export type Phase = 'catching-up' | 'live' | 'polling' | 'refused' | 'away' | 'signed-out'

export type Following = {
  readonly phase: Phase
  readonly stream: 'closed' | 'opening' | 'live'
  /** When the stream was opened, or has last told something. */
  readonly heardAt: number
  /** Looks in succession that reached nobody. */
  readonly failures: number
  /** Streams in succession that told nothing while the counts could be read. */
  readonly blocked: number
  /** The next look, and the time before which none opens the stream. */
  readonly dueAt: number
  readonly streamAt: number
  /** The next look whether the user is another one, and the last one. */
  readonly checkAt: number
  readonly checkedAt: number
  /** Whether the counts could be read since the stream was lost. */
  readonly isReached: boolean
  /** Whether the page has been hidden or asleep, and the counts are read to see whether the stream is still alive. */
  readonly isVerifying: boolean
}

export type Input =
  | { readonly type: 'start' }
  /** The reader opens the list, or the page becomes visible or goes on after a pause. */
  | { readonly type: 'opened' | 'woke' }
  /** The network is back, or the page is shown again from the back/forward cache: no connection has survived. */
  | { readonly type: 'online' | 'restored' }
  | { readonly type: 'offline' | 'left' | 'signed-out' | 'token' | 'time' }
  /** The stream told something; `isLevel`: everything until now. */
  | { readonly type: 'heard'; readonly isLevel: boolean }
  /** `withheld`: there is none for this page. `retryInMs`: the pause that the server asks for. */
  | {
      readonly type: 'lost'
      readonly reason: 'expired' | 'refused' | 'connection' | 'withheld'
      readonly retryInMs?: number
    }
  /** The counts were read; `differs` from those shown. */
  | { readonly type: 'read'; readonly differs?: boolean }
  | { readonly type: 'read-failed'; readonly isRefused: boolean }

/** `open` opens the stream anew at its position. */
export type Effect = 'read' | 'open' | 'close' | 'check'

export type Step = { readonly state: Following; readonly effects: readonly Effect[] }
type Surroundings = { readonly now: number; readonly random: () => number }

const never = Number.POSITIVE_INFINITY
/** A stream that has told nothing for this long is taken for withheld. */
const withheldMs = 5_000
/** The server sends a heartbeat every 15 s. */
const silentMs = 20_000
/** A stream that has told something just now needs no look. */
const freshMs = 3_000
const checkMs = 45_000
const leastCheckMs = 5_000
const poll = { min: 30_000, max: 40_000 }
/** Wide, because many pages lose their gateway at once: of a thousand, less than 100 ask in a second. */
const firstRetry = { min: 1_000, max: 20_000 }
const retry = { min: 12_000, max: 35_000 }
const spread = { min: 1_000, max: 20_000 }
const blockedRetry = { min: 15_000, max: 150_000 }

export const notFollowing: Following = {
  phase: 'catching-up',
  stream: 'closed',
  heardAt: 0,
  failures: 0,
  blocked: 0,
  dueAt: never,
  streamAt: 0,
  checkAt: never,
  checkedAt: 0,
  isReached: false,
  isVerifying: false,
}

const between = ({ min, max }: { min: number; max: number }, random: () => number) => min + random() * (max - min)
/** Grows with each failure; half of it is random. */
function backoff({ min, max }: { min: number; max: number }, failures: number, random: () => number): number {
  const whole = Math.min(max, min * 2 ** failures)
  return (whole * (1 + random())) / 2
}

const stay = (state: Following): Step => ({ state, effects: [] })

function check(state: Following, now: number): Following {
  return { ...state, checkAt: now + checkMs, checkedAt: now }
}

/** Opens the stream, and looks again if it tells nothing. */
function opening(state: Following, now: number): Following {
  return { ...state, stream: 'opening', heardAt: now, dueAt: Math.min(state.dueAt, now + withheldMs) }
}

/** Opens the stream and reads the counts. */
function anew(state: Following, now: number): Step {
  const phase = state.phase === 'live' ? 'catching-up' : state.phase
  const next = { ...state, phase, failures: 0, streamAt: 0, dueAt: never, isVerifying: false } as const
  return { state: check(opening(next, now), now), effects: ['open', 'read', 'check'] }
}

/** Somebody looks at this page now. */
function look(state: Following, now: number): Step {
  const silence = now - state.heardAt
  if (state.stream === 'live') {
    if (silence > silentMs) return anew(state, now)
    const checked = check({ ...state, isVerifying: silence > freshMs }, now)
    return { state: checked, effects: silence > freshMs ? ['read', 'check'] : ['check'] }
  }
  // One that is blocked, or that was opened just now, is left to its time.
  if (state.blocked > 0 || (state.stream === 'opening' && silence < silentMs)) {
    return { state: check({ ...state, failures: 0 }, now), effects: ['read', 'check'] }
  }
  return anew(state, now)
}

function lost(state: Following, input: Extract<Input, { type: 'lost' }>, { now, random }: Surroundings): Step {
  const { reason, retryInMs } = input
  const { phase, stream } = state
  const closed = { ...state, stream: 'closed', isVerifying: false } as const
  if (phase === 'signed-out' || stream === 'closed') return stay(state)
  // The client opens it again at once.
  if (reason === 'expired') return stay(opening(state, now))
  if (reason === 'withheld') return stay({ ...closed, blocked: 1, streamAt: never })
  if (stream === 'live') {
    const pause = Math.min((retryInMs ?? 0) + between(firstRetry, random), retry.max)
    const away = { ...closed, phase: reason === 'refused' ? 'refused' : 'away', failures: 0, isReached: false } as const
    return stay({ ...away, dueAt: now + pause })
  }
  if (!state.isReached) return failed(closed, reason === 'refused', { now, random })
  const streamAt = now + backoff(blockedRetry, state.blocked, random)
  const dueAt = Math.min(state.dueAt, now + between(poll, random))
  return stay({ ...closed, phase: 'polling', blocked: state.blocked + 1, streamAt, dueAt })
}

function failed(state: Following, isRefused: boolean, { now, random }: Surroundings): Step {
  const dueAt = now + between(retry, random)
  const phase = isRefused ? 'refused' : 'away'
  return stay({ ...state, phase, failures: state.failures + 1, isReached: false, dueAt })
}

function read(state: Following, differs: boolean, { now, random }: Surroundings): Step {
  if (state.phase === 'signed-out') return stay(state)
  if (state.stream === 'live')
    return state.isVerifying && differs ? anew(state, now) : stay({ ...state, isVerifying: false })
  const dueAt = now + between(poll, random)
  const reached = { ...state, failures: 0, isReached: true, dueAt } as const
  if (state.stream === 'opening') {
    const isWithheld = now - state.heardAt >= withheldMs
    if (isWithheld) return stay({ ...reached, phase: 'polling' })
    return stay({ ...reached, phase: 'catching-up', dueAt: state.heardAt + withheldMs })
  }
  if (now < state.streamAt) return stay({ ...reached, phase: 'polling' })
  if (state.blocked > 0) return { state: opening({ ...reached, phase: 'polling' }, now), effects: ['open'] }
  // The gateway is back, for many pages at once.
  return stay({ ...reached, phase: 'catching-up', dueAt: now + between(spread, random) })
}

function due(state: Following, { now, random }: Surroundings): Step {
  const effects: Effect[] = []
  let next = state
  if (now >= state.checkAt) {
    next = check(next, now)
    effects.push('check')
  }
  if (now < state.dueAt || state.phase === 'signed-out') return { state: next, effects }
  next = { ...next, dueAt: now + between(poll, random) }
  // Asks for the stream itself: if it comes, nothing else is needed. Every other time, because it may fail while the rest works.
  const asksForStream = next.stream === 'closed' && next.phase !== 'polling' && next.failures % 2 === 0
  if (asksForStream) return { state: opening(next, now), effects: [...effects, 'open'] }
  return { state: next, effects: [...effects, 'read'] }
}

/** Decides what to do when something happens. No rule depends on who asks: component, hook or test. */
export function follow(state: Following, input: Input, surroundings: Surroundings): Step {
  const { now, random } = surroundings
  switch (input.type) {
    case 'start':
      return { state: check(opening(notFollowing, now), now), effects: ['open', 'read'] }
    case 'opened':
    case 'woke':
      return state.phase === 'signed-out' ? { state: check(state, now), effects: ['check'] } : look(state, now)
    case 'online':
    case 'restored':
      return state.phase === 'signed-out' ? { state: check(state, now), effects: ['check'] } : anew(state, now)
    case 'token':
      return stay({ ...state, checkAt: Math.min(state.checkAt, state.checkedAt + leastCheckMs) })
    case 'offline':
      if (state.phase === 'signed-out') return stay(state)
      return stay({ ...state, phase: 'away', dueAt: Math.min(state.dueAt, now + between(poll, random)) })
    case 'left':
      return {
        state: { ...notFollowing, phase: state.phase === 'live' ? 'catching-up' : state.phase },
        effects: ['close'],
      }
    case 'signed-out':
      return { state: check({ ...notFollowing, phase: 'signed-out' }, now), effects: ['close'] }
    case 'time':
      return due(state, surroundings)
    case 'heard':
      if (state.stream === 'closed' || state.phase === 'signed-out') return stay(state)
      if (!input.isLevel && state.stream === 'opening') return stay({ ...state, heardAt: now, dueAt: now + withheldMs })
      return stay({ ...state, phase: 'live', stream: 'live', heardAt: now, failures: 0, blocked: 0, dueAt: never })
    case 'lost':
      return lost(state, input, surroundings)
    case 'read':
      return read(state, input.differs === true, surroundings)
    case 'read-failed':
      if (state.stream === 'live' || state.phase === 'signed-out') return stay(state)
      return failed(state, input.isRefused, surroundings)
  }
}

/** The time of the next `time`. */
export const nextTime = ({ dueAt, checkAt }: Following): number => Math.min(dueAt, checkAt)
