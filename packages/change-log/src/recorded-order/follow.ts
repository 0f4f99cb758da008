import { setTimeout as sleep } from 'node:timers/promises'
import { type Position, timeOf, type WatchStep, watch } from '@herald/mongo'
import type { Db } from 'mongodb'
import type { AppendEntries } from './append-entries.ts'
import type { AppendErasure } from './append-erasure.ts'
import type { CausalReads } from './causal-reads.ts'
import { createChangeQueue } from './change-queue.ts'
import { type ChangeToAppend, changesToAppend } from './changes-to-append.ts'

export type FollowDependencies = {
  readonly watching: Db
  readonly appendEntries: AppendEntries
  readonly appendErasure: AppendErasure
  readonly reads: CausalReads
  readonly maxAwaitTimeMS: number | undefined
  readonly collectMs?: number | undefined
}

export type Follow = (after: Position, onLevel: OnLevel) => Promise<'lost' | 'stopped'>

/** The order contains everything up to the position. Returns `false` to stop. */
type OnLevel = (position: Position) => Promise<boolean>

/** Entries that arrive meanwhile share a page: a write for each of them would not keep up. */
const defaultCollectMs = 100

/** Appends the changes after a position, as they come. */
export function createFollow(dependencies: FollowDependencies): Follow {
  const { watching, appendEntries, appendErasure, reads, maxAwaitTimeMS, collectMs = defaultCollectMs } = dependencies
  return async (after, onLevel) => {
    const stopping = new AbortController()
    const steps = watch<ChangeToAppend>(watching, {
      pipeline: changesToAppend,
      after,
      signal: stopping.signal,
      maxAwaitTimeMS,
    })
    const queue = createChangeQueue<WatchStep<ChangeToAppend>>(steps)
    try {
      for (;;) {
        await queue.waitForSome()
        await sleep(collectMs)
        const taken = queue.take()
        const last = taken.at(-1)
        await appendAll(taken)
        if (last === undefined || last.kind === 'lost') return 'lost'
        if (!(await onLevel(last.position))) return 'stopped'
      }
    } finally {
      stopping.abort()
      await queue.close()
    }
  }

  /** In order: the leaf of an erasure names entries before it. */
  async function appendAll(steps: readonly WatchStep<ChangeToAppend>[]): Promise<void> {
    let entries: { key: ChangeToAppend['key']; position: Position }[] = []
    const appendCollected = async () => {
      await appendEntries(entries)
      entries = []
    }
    for (const step of steps) {
      if (step.kind !== 'change') continue
      const { position, event } = step
      reads.note(timeOf(position))
      if (event.collection === 'change-entries') entries.push({ key: event.key, position })
      else {
        await appendCollected()
        await appendErasure(event.key, position)
      }
    }
    await appendCollected()
  }
}
