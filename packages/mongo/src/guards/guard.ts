import type { Collection } from 'mongodb'
import type { FindFew } from '../reading/find-few.ts'
import { findRecentHeads, type HeadDocument } from './heads.ts'

/** The findings about some items, and the versions of the heads at which they were read. */
export type Look<Key, Value> = {
  readonly found: ReadonlyMap<Key, Value>
  readonly versions: ReadonlyMap<string, string>
}

type Guarded = { readonly subscriberId: string; readonly createdAt: Date }

export type Guard<Item, Key, Value> = {
  /** Finds the tombstones that apply to these items. */
  look(items: readonly Item[], options?: LookOptions<Look<Key, Value>>): Promise<Look<Key, Value>>
}

export type LookOptions<Earlier> = {
  /** Only what has changed since this look is searched. */
  readonly earlier?: Earlier
  /** Reads the heads; with `findTogether` several guards share a command. */
  readonly find?: FindFew
}

export type GuardDependencies<Item, Key, Value> = {
  readonly heads: Collection<HeadDocument>
  /** A tombstone may apply to items that are so much newer. */
  readonly slackMs: number
  readonly isInTime: (until: Date, item: Item) => boolean
  readonly search: (items: readonly Item[], found: Map<Key, Value>) => Promise<void>
}

/**
 * Keeps away what was retracted, and persons who were erased. A tombstone is stored, then its subscriber's head, then it is
 * applied to what is stored. A writer looks before the insert and after it: so either the tombstone finds what was stored, or
 * the second look finds the tombstone.
 */
export function createGuard<Item extends Guarded, Key, Value>(
  dependencies: GuardDependencies<Item, Key, Value>,
): Guard<Item, Key, Value> {
  const { heads, slackMs, isInTime, search } = dependencies
  return {
    async look(items, { earlier, find } = {}) {
      const found = new Map(earlier?.found)
      if (items.length === 0) return { found, versions: new Map() }
      const subscribers = new Set(items.map(({ subscriberId }) => subscriberId))
      const earliest = items.reduce((least, { createdAt }) => Math.min(least, createdAt.getTime()), Infinity)
      const recent = await findRecentHeads(heads, subscribers, new Date(earliest - slackMs), find)
      const searched = items.filter((item) => {
        const head = recent.get(item.subscriberId)
        if (head === undefined || !isInTime(head.until, item)) return false
        return head.version !== earlier?.versions.get(item.subscriberId)
      })
      if (searched.length > 0) await search(searched, found)
      return { found, versions: new Map([...recent].map(([subscriberId, { version }]) => [subscriberId, version])) }
    },
  }
}
