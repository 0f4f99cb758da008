import { readLimits } from '@herald/mongo'
import type { Binary, Collection } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import type { DueBatch } from './announcement.ts'

/** The announcements that are left to the relay. Each is returned until it is settled. */
export type Announcements = ReturnType<typeof createAnnouncements>

export type AnnouncementsDependencies = Pick<FeedCollections, 'fanOuts' | 'digests'> & {
  readonly sources: readonly ((now: Date) => Promise<DueBatch>)[]
}

export function createAnnouncements({ fanOuts, digests, sources }: AnnouncementsDependencies) {
  // Only the fields that both have are used.
  const both = [fanOuts, digests] as unknown as readonly Collection<{ _id: Binary; announceAt?: Date }>[]
  const dueAt = (now: Date) => ({ announceAt: { $lte: now } })

  return {
    async isDue(now: Date): Promise<boolean> {
      const options = { ...readLimits, hint: 'announce', projection: { _id: 1 } } as const
      for (const collection of both) if ((await collection.findOne(dueAt(now), options)) !== null) return true
      return false
    },
    /** Returns due announcements, the oldest first, up to a limit for each kind. Retracted notifications cannot be read any more. */
    async next(now: Date): Promise<readonly DueBatch[]> {
      const batches: DueBatch[] = []
      for (const next of sources) batches.push(await next(now))
      return batches.filter(({ items }) => items.length > 0)
    },
    async countDue(now: Date, limit: number) {
      const options = { ...readLimits, hint: 'announce' } as const
      const first = { ...options, sort: { announceAt: 1 }, projection: { announceAt: 1 } } as const
      const counts = await Promise.all(
        both.map((collection) => collection.countDocuments(dueAt(now), { ...options, limit })),
      )
      const sum = counts.reduce((sofar, count) => sofar + count, 0)
      const oldest = await Promise.all(both.map((collection) => collection.findOne(dueAt(now), first)))
      const times = oldest.flatMap((document) => document?.announceAt?.getTime() ?? [])
      return {
        due: Math.min(limit, sum),
        oldest: times.length === 0 ? undefined : new Date(Math.min(...times)),
      }
    },
  }
}
