import { setTimeout as sleep } from 'node:timers/promises'
import { eachAtOnce, type Hold, ownClock } from '@herald/mongo'
import type { Checkpoint } from '@herald/sealed-log'
import type { Collection } from 'mongodb'
import type { LogPageDocument } from '../documents/log-page-document.ts'
import type { GrownLogs } from '../recorded-order/grown-logs.ts'
import type { Anchor } from './anchor.ts'
import type { Conflicts } from './conflicts.ts'
import { eachLog } from './each-log.ts'
import { LogConflict } from './log-conflict.ts'
import { createPendingLogs } from './pending-logs.ts'
import { createCheckpointPublisher } from './publisher.ts'
import { createSealLog, type KnownCheckpoint, type SealDependencies, type SealOutcome } from './seal-log.ts'
import { createSignedHere } from './signed-here.ts'

export type SealerOptions = {
  readonly intervalMs: number
  /** The signed note of a log's checkpoint, always the same for the same checkpoint. */
  readonly sign: (subscriberId: string, checkpoint: Checkpoint) => string
  readonly anchor?: Anchor | undefined
  readonly witnessing?: Witnessing | undefined
  readonly listener: SealerListener
}

/** Has checkpoints cosigned, beside the sealing. What is to be cosigned follows from what is stored. */
export type Witnessing = {
  /** Whether a checkpoint has the cosignatures without which it is not served. */
  hasQuorum(note: string): boolean
  /** A log may have a checkpoint that a witness has not cosigned. */
  add(subscriberId: string): void
  remove(subscriberId: string): void
  /** Goes on with what is due. Never throws. @param onReleased a checkpoint of the log is served from now on */
  start(onReleased: (subscriberId: string) => void): void
  /** Ends, and gives up what is being sent. */
  stop(): Promise<void>
}

export type SealerListener = {
  onSealed(subscriberId: string, sealed: { readonly size: number; readonly leaves: number }): void
  /** A log was stopped; called once for each. */
  onConflict(subscriberId: string, reason: string): void
  /** A log that was stopped is sealed again. */
  onResolved(subscriberId: string): void
  /** One log failed, or some could not be published. They are retried, and the others go on. */
  onFailure(error: unknown, subscriberId?: string): void
}

/** Seals the logs that have grown. */
export type Sealer = {
  /** Seals until `hold` resolves to `false`. Any number of processes may. @throws errors after which it may be called again */
  work(hold: Hold): Promise<void>
  /** For how long the oldest leaf has been unsealed beyond the interval; `undefined` while another process works. */
  lagSeconds(): number | undefined
  /** The number of logs that this process has stopped, whatever is stored of that. */
  stopped(): number
}

export type SealerDependencies = Omit<SealDependencies, 'intervalMs' | 'sign'> & {
  readonly logPages: Collection<LogPageDocument>
  readonly conflicts: Conflicts
  readonly grownLogs: Pick<GrownLogs, 'listen'>
  readonly pause?: (ms: number) => Promise<unknown>
}

type Looked = { readonly outcome: SealOutcome; readonly accepted: string | undefined }

const logsAtOnce = 32
/** Few enough that an unavailable MongoDB is noticed before each log has failed. */
const logsPerStep = 128
const retryMs = 5_000
const longestTickMs = 500

export function createSealer(dependencies: SealerDependencies, options: SealerOptions): Sealer {
  const { logPages, checkpoints, conflicts, grownLogs, clock = ownClock, pause = sleep } = dependencies
  const { intervalMs, anchor, witnessing, listener } = options
  const sealLog = createSealLog({ ...dependencies, ...options, hasQuorum: witnessing?.hasQuorum })
  const pending = createPendingLogs({ intervalMs, clock })
  const onFailure = (error: unknown) => listener.onFailure(error)
  const publisher = anchor && createCheckpointPublisher({ anchor, checkpoints, onFailure, clock })
  const signedHere = createSignedHere()
  const stopped = new Set<string>()
  const told = new Set<string>()
  let isActive = false
  grownLogs.listen({
    onGrown(subscriberIds) {
      if (isActive) for (const subscriberId of subscriberIds) pending.grow(subscriberId)
    },
    onAnyGrown: () => pending.requestSearch(),
  })

  async function workOn(hold: Hold): Promise<void> {
    pending.requestSearch()
    stopped.clear()
    for (const subscriberId of await conflicts.list()) stopped.add(subscriberId)
    if (anchor && !(await anchor.catchUp(hold))) return
    for (;;) {
      if (pending.isSearchDue()) await search(hold)
      else await sealAll(pending.due(), hold)
      publisher?.start()
      witnessing?.start((subscriberId) => publisher?.add(subscriberId))
      if (!(await hold())) return
      await pause(Math.min(longestTickMs, intervalMs / 4))
    }
  }

  /** Looks at every log. */
  async function search(hold: Hold): Promise<void> {
    const end = pending.beginSearch()
    const seen = new Set<string>()
    for await (const subscriberIds of eachLog(logPages)) {
      if (anchor) for (const subscriberId of subscriberIds) seen.add(subscriberId)
      const open = subscriberIds.filter((subscriberId) => !pending.isWaiting(subscriberId))
      if (!(await sealAll(open, hold, true))) return
    }
    // After a restore, even the pages of a log may be gone.
    const published = anchor ? [...anchor.subscribers()].filter((subscriberId) => !seen.has(subscriberId)) : []
    const others = new Set([...published, ...[...stopped].filter((subscriberId) => !seen.has(subscriberId))])
    if (await sealAll([...others], hold, true)) end()
  }

  /** @returns whether all were looked at, because this process may still work */
  async function sealAll(subscriberIds: readonly string[], hold: Hold, isSearch = false): Promise<boolean> {
    for (let at = 0; at < subscriberIds.length; at += logsPerStep) {
      if (!(await hold())) return false
      const step = subscriberIds.slice(at, at + logsPerStep)
      const areSealed = await eachAtOnce(step, logsAtOnce, (subscriberId) => seal(subscriberId, hold, isSearch))
      // Throws if it is not only about these logs.
      if (areSealed.includes(false)) await conflicts.waitForMajority()
    }
    return true
  }

  /** @returns `false` after an error */
  async function seal(subscriberId: string, hold: Hold, isSearch: boolean): Promise<boolean> {
    const grownAt = pending.begin(subscriberId)
    const now = clock()
    try {
      const { outcome, accepted } = await look(subscriberId, hold)
      if (stopped.has(subscriberId)) await resume(subscriberId)
      if (isSearch || outcome.kind === 'sealed') announce(subscriberId)
      if (outcome.kind === 'sealed') {
        const { checkpoint, leaves } = outcome
        signedHere.add(subscriberId, checkpoint, accepted)
        listener.onSealed(subscriberId, { size: checkpoint.size, leaves })
      }
      pending.end(subscriberId, after(outcome, grownAt, now))
      return true
    } catch (error) {
      const isConflict = error instanceof LogConflict
      pending.end(subscriberId, { dueAt: now + (isConflict ? intervalMs : retryMs), grownAt: grownAt ?? now })
      if (isConflict) return stop(subscriberId, error.message)
      listener.onFailure(error, subscriberId)
      return false
    }
  }

  function announce(subscriberId: string): void {
    publisher?.add(subscriberId)
    witnessing?.add(subscriberId)
  }

  async function look(subscriberId: string, hold: Hold): Promise<Looked> {
    const isDoubted = stopped.has(subscriberId)
    const lookOnce = async () => {
      const { newest, foreign, accepted } = (await anchor?.look(subscriberId, isDoubted)) ?? {}
      const own = signedHere.find(subscriberId, accepted)
      const known: KnownCheckpoint[] = newest === undefined ? [] : [{ ...newest, from: 'published' }]
      if (own !== undefined) known.push({ ...own, from: 'signed here' })
      return { outcome: await sealLog(subscriberId, hold, { known, foreign, isDoubted }), accepted }
    }
    try {
      return await lookOnce()
    } catch (error) {
      if (isDoubted || !(error instanceof LogConflict)) throw error
      await conflicts.waitForMajority()
      return lookOnce()
    }
  }

  function after(outcome: SealOutcome, grownAt: number | undefined, now: number) {
    if (outcome.kind === 'sealed') {
      return { dueAt: now + intervalMs, grownAt: outcome.isMore ? (grownAt ?? now) : undefined }
    }
    // Unsealed leaves were recorded after the last checkpoint.
    if (outcome.kind === 'early') {
      return { dueAt: now + outcome.dueInMs, grownAt: grownAt ?? now - intervalMs + outcome.dueInMs }
    }
    return { dueAt: now, grownAt: outcome.kind === 'stopped' ? grownAt : undefined }
  }

  async function stop(subscriberId: string, reason: string): Promise<boolean> {
    try {
      publisher?.remove(subscriberId)
      witnessing?.remove(subscriberId)
      // A conflict is stored at each look, because somebody may have deleted it.
      await conflicts.store(subscriberId, reason)
    } catch (error) {
      listener.onFailure(error, subscriberId)
      return false
    }
    stopped.add(subscriberId)
    if (!told.has(subscriberId)) listener.onConflict(subscriberId, reason)
    told.add(subscriberId)
    return true
  }

  async function resume(subscriberId: string): Promise<void> {
    await conflicts.remove(subscriberId)
    stopped.delete(subscriberId)
    told.delete(subscriberId)
    announce(subscriberId)
    listener.onResolved(subscriberId)
  }

  return {
    async work(hold) {
      if (!(await hold())) {
        isActive = false
        pending.clear()
        return
      }
      isActive = true
      try {
        await workOn(hold)
      } finally {
        publisher?.clear()
        await Promise.all([publisher?.settled(), witnessing?.stop()])
      }
    },
    stopped: () => (isActive ? stopped.size : 0),
    lagSeconds() {
      return isActive ? pending.lagMs((subscriberId) => !stopped.has(subscriberId)) / 1_000 : undefined
    },
  }
}
