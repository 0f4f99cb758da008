import { type MonotonicClock, ownClock } from '@herald/mongo'

export type QueueOutcome = 'done' | 'refused' | 'unavailable' | 'failed'

type QueueOptions = {
  /** Asks the witness about a log. Never throws. */
  readonly ask: (subscriberId: string, signal: AbortSignal) => Promise<QueueOutcome>
  readonly clock?: MonotonicClock | undefined
  readonly random?: () => number
}

type Waiting = {
  /** Since when the witness lacks something, by the clock of the process. */
  since: number
  failures: number
  /** The witness is not asked before this time. */
  dueAt: number
}

/** Some 200 bytes each. A log beyond them is asked about with its next checkpoint. */
const mostLogs = 200_000
const mostAtOnce = 4
const minPauseMs = 1_000
/** A witness that is back is noticed within this time; one that refuses a log is waiting for its operator. */
const mostPauseMs = { unavailable: 30_000, failed: 30_000, refused: 300_000 } as const

/** The logs about which one witness is to be asked, whatever happens at others. */
export function createWitnessQueue({ ask, clock = ownClock, random = Math.random }: QueueOptions) {
  const waiting = new Map<string, Waiting>()
  /** The logs that are being asked about, and whether one has grown since. */
  const asking = new Map<string, { hasGrown: boolean; readonly asked: Promise<void> }>()
  const ready = new Set<string>()
  let abort = new AbortController()
  /** How often in a row it was unavailable. Then one log at a time finds out whether it is back. */
  let failures = 0
  let pausedUntil = 0

  const pauseMs = (count: number, most: number) =>
    Math.min(most, minPauseMs * 2 ** Math.min(count - 1, 20)) * (0.5 + random() / 2)

  function askNext(): void {
    for (const subscriberId of ready) {
      if (asking.size >= (failures === 0 ? mostAtOnce : 1) || clock() < pausedUntil) return
      ready.delete(subscriberId)
      const { signal } = abort
      const asked = ask(subscriberId, signal).then((outcome) => {
        if (!signal.aborted) end(subscriberId, outcome)
      })
      asking.set(subscriberId, { hasGrown: false, asked })
    }
  }

  function end(subscriberId: string, outcome: QueueOutcome): void {
    const hasGrown = asking.get(subscriberId)?.hasGrown ?? false
    asking.delete(subscriberId)
    note(outcome)
    const log = waiting.get(subscriberId)
    if (log !== undefined && outcome !== 'done') {
      log.failures++
      log.dueAt = clock() + pauseMs(log.failures, mostPauseMs[outcome])
    } else if (log !== undefined && hasGrown) {
      Object.assign(log, { failures: 0, since: clock() })
      ready.add(subscriberId)
    } else {
      waiting.delete(subscriberId)
    }
    askNext()
  }

  function note(outcome: QueueOutcome): void {
    if (outcome === 'failed') return
    failures = outcome === 'unavailable' ? failures + 1 : 0
    pausedUntil = failures === 0 ? 0 : clock() + pauseMs(failures, mostPauseMs.unavailable)
  }

  return {
    add(subscriberId: string): void {
      const current = asking.get(subscriberId)
      if (current !== undefined) current.hasGrown = true
      if (waiting.has(subscriberId) || waiting.size >= mostLogs) return
      waiting.set(subscriberId, { since: clock(), failures: 0, dueAt: 0 })
      ready.add(subscriberId)
    },
    remove(subscriberId: string): void {
      waiting.delete(subscriberId)
      ready.delete(subscriberId)
    },
    /** Its checkpoint is older than this process knows. */
    waitsSince(subscriberId: string, ageMs: number): void {
      const log = waiting.get(subscriberId)
      if (log !== undefined) log.since = Math.min(log.since, clock() - ageMs)
    },
    start(): void {
      const now = clock()
      for (const [subscriberId, { dueAt }] of waiting) {
        if (dueAt <= now && !asking.has(subscriberId)) ready.add(subscriberId)
      }
      askNext()
    },
    async stop(): Promise<void> {
      const asked = Array.from(asking.values(), (one) => one.asked)
      abort.abort()
      abort = new AbortController()
      for (const logs of [waiting, ready, asking]) logs.clear()
      ;[failures, pausedUntil] = [0, 0]
      await Promise.all(asked)
    },
    /** For how long the witness has lacked a checkpoint. */
    lagSeconds(): number {
      const now = clock()
      let oldest = now
      for (const { since } of waiting.values()) oldest = Math.min(oldest, since)
      return (now - oldest) / 1_000
    },
  }
}
