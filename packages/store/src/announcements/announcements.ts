import type { Binary, Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import type { ErasedPersons } from '../erasures/erased-persons.ts'
import type { FanOutDocument } from '../fan-outs/fan-out-document.ts'
import type { NewNotification, NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { DueBatch } from './announcement.ts'
import type { DigestDocument } from './digest-document.ts'
import { createNextDigests } from './next-digests.ts'
import { createNextFanOuts, toCreated } from './next-fan-outs.ts'

/** The number of announcements that are due, and since when. */
type DueCount = { readonly due: number; readonly oldest: Date | undefined }

/** The announcements of notifications that are to be made. Each is returned until it is settled. */
export type Announcements = {
  /** The creations of these notifications that are not announced yet. Call it after storing them. */
  createdOf(notifications: readonly NewNotification[]): Promise<DueBatch>
  /** Leaves the creations of these notifications to the relay. Call it after storing them. */
  deferCreated(notifications: readonly NewNotification[], now: Date): Promise<void>
  isDue(now: Date): Promise<boolean>
  /**
   * Those that are due, the oldest first, up to a limit for each kind. Ensures that retracted notifications cannot be read any more.
   */
  next(now: Date): Promise<readonly DueBatch[]>
  /** Counts up to `limit`. */
  countDue(now: Date, limit: number): Promise<DueCount>
}

export type AnnouncementsDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly notifications: Collection<NotificationDocument>
  readonly digests: Collection<DigestDocument>
  readonly erasedPersons: ErasedPersons
}

const exists = { $exists: true } as const
const hex = (binary: Binary) => binary.toString('hex')
const keyOf = ({ subscriberId, id }: NewNotification) => toKey(subscriberId, id)

export function createAnnouncements(dependencies: AnnouncementsDependencies): Announcements {
  const { fanOuts, notifications, digests, erasedPersons } = dependencies
  const nextFanOuts = createNextFanOuts(fanOuts, notifications)
  const nextDigests = createNextDigests(digests, erasedPersons)
  // Only the fields that both have are used.
  const both = [fanOuts, digests] as unknown as readonly Collection<{ _id: Binary; announceAt?: Date }>[]

  const defer = async (keys: readonly Binary[], announceAt: Date): Promise<void> => {
    const where = { _id: { $in: [...keys] }, unannounced: exists }
    if (keys.length > 0) await fanOuts.updateMany(where, { $set: { 'unannounced.stored': true, announceAt } })
  }

  return {
    async createdOf(stored) {
      const byKey = new Map(stored.map((notification) => [hex(keyOf(notification)), notification]))
      const projection = { recipients: 1, erased: 1, takenBack: 1, unannounced: 1 } as const
      const found = await fanOuts
        .find({ _id: { $in: stored.map(keyOf) }, unannounced: exists }, { ...readLimits, projection })
        .toArray()
      const keys = found.map(({ _id }) => _id)
      return {
        items: found.map((fanOut) => ({
          announcements: toCreated(fanOut, byKey.get(hex(fanOut._id)) as NewNotification),
        })),
        async settle() {
          if (keys.length > 0) await fanOuts.updateMany({ _id: { $in: keys } }, { $unset: { unannounced: true } })
        },
        postpone: (_, until) => defer(keys, until),
      }
    },
    deferCreated: (stored, now) => defer(stored.map(keyOf), now),
    async isDue(now) {
      const where = { announceAt: { $lte: now } }
      const options = { ...readLimits, hint: 'announce', projection: { _id: 1 } } as const
      for (const collection of both) if ((await collection.findOne(where, options)) !== null) return true
      return false
    },
    async next(now) {
      const batches = [await nextFanOuts(now), await nextDigests(now)]
      return batches.filter(({ items }) => items.length > 0)
    },
    async countDue(now, limit) {
      const where = { announceAt: { $lte: now } }
      const options = { ...readLimits, hint: 'announce' } as const
      const first = { ...options, sort: { announceAt: 1 }, projection: { announceAt: 1 } } as const
      const counts = await Promise.all(
        both.map((collection) => collection.countDocuments(where, { ...options, limit })),
      )
      const oldest = await Promise.all(both.map((collection) => collection.findOne(where, first)))
      const times = oldest.flatMap((document) => document?.announceAt ?? [])
      return {
        due: Math.min(
          limit,
          counts.reduce((sum, count) => sum + count, 0),
        ),
        oldest: times.toSorted((a, b) => a.getTime() - b.getTime())[0],
      }
    },
  }
}
