import type { MonotonicClock } from '@herald/mongo'
import { type Checkpoint, emptyRoot, rootAt } from '@herald/sealed-log'
import type { LogSources } from '../documents/collections.ts'
import type { GrownLogs } from '../recorded-order/grown-logs.ts'
import { createAcceptances } from './acceptances.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createConflicts } from './conflicts.ts'
import { createLogLeaves } from './leaves.ts'
import { checkLength, checkRoot, createCompareAnchor } from './seal-log.ts'
import { createSealer, type Sealer, type SealerOptions } from './sealer.ts'
import { createSealingState } from './sealing-state.ts'
import { createTreeNodes } from './tree-nodes.ts'

export type Sealing = ReturnType<typeof createSealing>

export type SealingDependencies = Pick<LogSources, 'logPages' | 'logNodes' | 'logCheckpoints' | 'logState'> & {
  readonly now: () => Date
  readonly grownLogs: Pick<GrownLogs, 'listen'>
  readonly clock?: MonotonicClock
  readonly pause?: (ms: number) => Promise<unknown>
}

/** Creates the part of the store that seals logs. */
export function createSealing(dependencies: SealingDependencies) {
  const { logPages, logNodes, logCheckpoints, logState, now, ...others } = dependencies
  const leaves = createLogLeaves(logPages)
  const nodes = createTreeNodes(logNodes, leaves)
  const checkpoints = createCheckpoints(logCheckpoints, now)
  const conflicts = createConflicts(logState, now)
  return {
    state: createSealingState(logState, logCheckpoints),
    conflicts: { find: conflicts.find, count: conflicts.count, list: conflicts.list },
    acceptances: createAcceptances(logState, now),
    createSealer(options: SealerOptions): Sealer {
      return createSealer({ leaves, nodes, checkpoints, conflicts, logPages, now, ...others }, options)
    },
    /**
     * Compares the leaves of a log with its own checkpoints, and returns the newest one.
     *
     * @throws LogConflict
     */
    async checkOwn(subscriberId: string): Promise<Checkpoint> {
      await conflicts.waitForMajority()
      const { newest, signed } = await checkpoints.newestOfBoth(subscriberId)
      const length = await leaves.length(subscriberId)
      for (const own of [signed, newest]) {
        if (own === undefined) continue
        checkLength(length, own)
        checkRoot(await rootAt(own.size, nodes.readerOf(subscriberId)), own)
      }
      return { size: newest?.size ?? 0, root: newest?.root ?? emptyRoot }
    },
    hasLeaves: async (subscriberId: string): Promise<boolean> => (await leaves.length(subscriberId)) > 0,
    /** Compares a log with a checkpoint that was published. @throws LogConflict */
    compare: createCompareAnchor({ nodes, checkpoints }) as (subscriberId: string, own: Checkpoint) => Promise<void>,
  }
}
