import type { GroupPosition } from '@herald/kafka'
import type { Clock, Logger } from '@herald/runtime'
import type { Store } from '@herald/store'
import { Gauge, type Registry } from 'prom-client'
import { findAhead } from './offset-notes.ts'

export type RestoreCheckDependencies = {
  readonly notes: Pick<Store['groupNotes'], 'read' | 'confirm'>
  readonly group: string
  readonly registry: Registry
  /** The time by MongoDB's clock. */
  readonly now: Clock
  readonly logger: Pick<Logger, 'debug' | 'error'>
  readonly everyMs: number
}

/** Compares what the group has committed with what is noted of it in MongoDB, and notes when they agreed. */
export function createRestoreCheck({ notes, group, registry, now, logger, everyMs }: RestoreCheckDependencies) {
  let notedAt: Date | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  new Gauge({
    name: 'herald_restored_behind_seconds',
    help: 'Age of the last note of MongoDB that was not behind the group, while MongoDB is a restored backup; else 0',
    registers: [registry],
    collect() {
      this.set(notedAt === undefined ? 0 : Math.max(1, (now().getTime() - notedAt.getTime()) / 1_000))
    },
  })

  async function look(positions: readonly GroupPosition[]): Promise<void> {
    const found = await notes.read(group, positions)
    const ahead = findAhead(positions, found)
    if (ahead.length === 0) {
      notedAt = undefined
      return notes.confirm(group, found)
    }
    if (notedAt === undefined) {
      const from = found.notedAt?.toISOString() ?? 'no time'
      logger.error(
        { partitions: ahead.length, notedAt: found.notedAt },
        `MongoDB was restored from a backup: its notes of this group end at ${from}. Runbook: HeraldRestored`,
      )
    }
    notedAt = found.notedAt ?? new Date(0)
  }

  return {
    /** To call with each reading of the group’s positions. */
    async check(positions: readonly GroupPosition[]): Promise<void> {
      if (performance.now() - lookedAt < everyMs) return
      lookedAt = performance.now()
      await look(positions).catch((error: unknown) => {
        logger.debug({ err: error }, 'Could not compare the offsets of the group with the notes of MongoDB')
      })
    },
  }
}
