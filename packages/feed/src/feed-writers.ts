import type { MonotonicClock } from '@herald/mongo'
import type { ErasedPersons } from '@herald/persons'
import { createAnnouncements } from './announcements/announcements.ts'
import { createCreations } from './announcements/creations.ts'
import { createDigests } from './announcements/digests.ts'
import { createNextDigests } from './announcements/next-digests.ts'
import { createNextFanOuts } from './announcements/next-fan-outs.ts'
import type { FeedCollections } from './documents/collections.ts'
import type { Announcing } from './documents/fan-out-document.ts'
import { createEraseWritten } from './erasures/erase-from-digests.ts'
import { createEraseFromFanOuts } from './erasures/erase-from-fan-outs.ts'
import { createFeedEraseSteps } from './erasures/erase-steps.ts'
import { createEraseStored } from './erasures/erase-stored.ts'
import { createFindMuted } from './mutes/find-muted.ts'
import { createReceipts } from './receipts/receipts.ts'
import { createEraseFromTombstones } from './retractions/erase-from-tombstones.ts'
import { createFindRetracted } from './retractions/find-retracted.ts'
import { createRemoveRetracted } from './retractions/remove-retracted.ts'
import { createRetractFromFanOuts } from './retractions/retract-from-fan-outs.ts'
import { createRetractions } from './retractions/retractions.ts'
import { createTombstones } from './retractions/tombstones.ts'
import { createCreateRequests } from './storing/create-requests.ts'
import { createStoreNotifications } from './storing/store-notifications.ts'
import { createUnfinished } from './storing/unfinished.ts'

export type FeedOptions = {
  readonly announcing?: Announcing | undefined
  /** Documents that a step of an erasure examines; less in tests. */
  readonly documentsPerStep?: number
  /** The clocks for the limits of steps and inserts; those of this process by default. */
  readonly clock?: MonotonicClock | undefined
  readonly now?: () => Date
}

export type FeedWriters = ReturnType<typeof createFeedWriters>

/** Everything that events and requests do to feeds, and the work that follows from it. */
export function createFeedWriters(
  collections: FeedCollections,
  erasedPersons: ErasedPersons,
  options: FeedOptions = {},
) {
  const { announcing, documentsPerStep, clock, now = () => new Date() } = options
  const { fanOuts, notifications, tombstones, tombstoneHeads, waitingReceipts } = collections
  const { digests } = collections
  const eraseFromFanOuts = createEraseFromFanOuts(collections)
  const eraseWritten = createEraseWritten(digests, erasedPersons)
  const removeRetracted = createRemoveRetracted(notifications)
  const retractFromFanOuts = createRetractFromFanOuts({ fanOuts, removeRetracted, announcing })
  const { retractBy, ...retractions } = createRetractions({
    tombstones,
    tombstoneHeads,
    fanOuts,
    retractFromFanOuts,
    eraseFromTombstones: createEraseFromTombstones(collections, erasedPersons),
    clock,
  })
  const findRetracted = createFindRetracted(collections)
  const receipts = createReceipts({ notifications, waitingReceipts, findRetracted, erasedPersons })
  const creations = createCreations(collections)
  const insertNew = createStoreNotifications({
    fanOuts,
    notifications,
    tombstones: createTombstones(collections),
    retractFromFanOuts,
    announcing,
    creations,
    erasedPersons,
    eraseStored: createEraseStored({ fanOuts, removeRetracted, eraseFromFanOuts }),
    receipts,
    findMuted: createFindMuted(collections, now),
    clock,
  })
  const nextFanOuts = createNextFanOuts({ fanOuts, creations, removeRetracted })
  const nextDigests = createNextDigests(collections, eraseWritten)
  return {
    insertNew,
    retractions,
    eraseSteps: createFeedEraseSteps({ ...collections, eraseFromFanOuts, now, documentsPerStep, clock }),
    receipts,
    createRequests: createCreateRequests(collections.createRequests, clock),
    unfinished: createUnfinished({ fanOuts, tombstones, storeNotifications: insertNew, retractBy }),
    announcements: createAnnouncements({ fanOuts, digests, sources: [nextFanOuts, nextDigests] }),
    digests: createDigests({
      ...{ fanOuts, notifications, digests, eraseWritten, now, clock },
      perHour: announcing?.unreadPerHour,
    }),
  }
}
