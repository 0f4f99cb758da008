import { type ClusterTimes, type Hold, type MonotonicClock, ownClock, timeOfPosition, uuidIn } from '@herald/mongo'
import type { ErasedPersons } from '@herald/persons'
import type { Db } from 'mongodb'
import type { LogSources } from '../documents/collections.ts'
import { type AppendEntries, createAppendEntries } from './append-entries.ts'
import { type AppendErasure, createAppendErasure } from './append-erasure.ts'
import { createCausalReads } from './causal-reads.ts'
import { createCompare } from './compare.ts'
import { createFollow } from './follow.ts'
import { createGrownLogs, type GrownLogs } from './grown-logs.ts'
import { createLogPages } from './log-pages.ts'
import { createOrderState } from './order-state.ts'
import { createReadLeaves } from './read-leaves.ts'

export type SequencerProgress = {
  /** Entries that this process appended since the last report. */
  readonly appended: number
  /** The order contains everything that was stored by then; `undefined` during a comparison. */
  readonly levelAt: Date | undefined
}

/** Assigns the recorded order of change entries. */
export type Sequencer = {
  /**
   * Appends what is stored to the order until `hold` resolves to `false`. Any number of processes may do this at once, and may be
   * killed or frozen anywhere: the order stays the same. @throws errors after which it may be called again
   */
  work(hold: Hold, onProgress: (progress: SequencerProgress) => void): Promise<void>
}

/** How soon a sequencer notices, in milliseconds; the defaults suit a service. */
export type SequencerPace = {
  readonly saveEveryMs?: number
  readonly maxAwaitTimeMS?: number
  readonly collectMs?: number
}

export type SequencerDependencies = Pick<LogSources, 'changeEntries' | 'erasures' | 'logPages' | 'logState'> &
  SequencerPace & {
    /** A client for the change stream, whose reads have a longer limit. */
    readonly watching: Db
    readonly erasedPersons: ErasedPersons
    readonly now: () => Date
    readonly behindMs?: ClusterTimes['behindMs']
    readonly grownLogs?: Pick<GrownLogs, 'report' | 'reportAny'>
    readonly clock?: MonotonicClock
  }

/** How often progress is stored, which is also a change that the stream reports when nothing else happens. */
const defaultSaveEveryMs = 1_000

export function createSequencer(dependencies: SequencerDependencies): Sequencer {
  const { changeEntries, erasures, logPages, logState, watching, erasedPersons, now } = dependencies
  const { saveEveryMs = defaultSaveEveryMs, maxAwaitTimeMS, collectMs, grownLogs = createGrownLogs() } = dependencies
  const { clock = ownClock } = dependencies
  const { behindMs = () => 0 } = dependencies
  const state = createOrderState(logState, behindMs)
  return {
    async work(hold, onProgress) {
      const reads = createCausalReads()
      const pages = createLogPages(logPages, reads)
      const readLeaves = createReadLeaves({ changeEntries, erasedPersons, reads })
      const append = createAppendEntries({ pages, readLeaves, now })
      let appended = 0
      const appendEntries: AppendEntries = async (entries) => {
        appended += await append(entries)
        // Logs are reported even if another process had appended to them: it may have died before it reported them.
        grownLogs.report(new Set(entries.map(({ key }) => uuidIn(key))))
      }
      const report = (levelAt: Date | undefined) => {
        onProgress({ appended, levelAt })
        appended = 0
      }
      const erasing = createAppendErasure({ changeEntries, erasures, pages, reads, now })
      const appendErasure: AppendErasure = async (key, position) => {
        await erasing(key, position)
        grownLogs.report([uuidIn(key)])
      }
      const compare = createCompare({
        watching,
        changeEntries,
        erasures,
        state,
        appendEntries,
        appendErasure,
        reads,
        clock,
      })
      const follow = createFollow({ watching, appendEntries, appendErasure, reads, maxAwaitTimeMS, collectMs })

      if (!(await hold())) return
      const { comparison, position: reached } = (await state.read()) ?? {}
      // The process that advanced the position appended everything behind it.
      grownLogs.reportAny()
      let position = comparison ? undefined : reached
      for (let begun = comparison; ; begun = undefined) {
        if (position === undefined) {
          report(undefined)
          const isHeld = () => {
            report(undefined)
            return hold()
          }
          position = await compare(begun, isHeld)
          if (position === undefined) return
        }
        let savedAt = -Infinity
        const outcome = await follow(position, async (level) => {
          if (clock() - savedAt < saveEveryMs) return true
          await state.advance(level)
          savedAt = clock()
          report(timeOfPosition(level))
          return hold()
        })
        if (outcome === 'stopped') return
        position = undefined
      }
    },
  }
}
