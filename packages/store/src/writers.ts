import type { Clock } from '@herald/mongo'
import { createAnnouncements } from './announcements/announcements.ts'
import { createCreations } from './announcements/creations.ts'
import { createDigests } from './announcements/digests.ts'
import { createNextDigests } from './announcements/next-digests.ts'
import { createNextFanOuts } from './announcements/next-fan-outs.ts'
import type { Collections } from './documents/collections.ts'
import type { Announcing } from './documents/fan-out-document.ts'
import { createEraseWritten } from './erasures/erase-from-digests.ts'
import { createEraseFromFanOuts } from './erasures/erase-from-fan-outs.ts'
import { createEraseStored } from './erasures/erase-stored.ts'
import { createErasures } from './erasures/erasures.ts'
import { createEraseSteps } from './erasures/phases.ts'
import { createErasedPersons } from './guards/erased-persons.ts'
import { createPersonKeys } from './guards/person-keys.ts'
import { createTombstones } from './guards/tombstones.ts'
import { createFindMuted } from './mutes/find-muted.ts'
import { createReceipts } from './receipts/receipts.ts'
import { createEraseFromTombstones } from './retractions/erase-from-tombstones.ts'
import { createFindRetracted } from './retractions/find-retracted.ts'
import { createRemoveRetracted } from './retractions/remove-retracted.ts'
import { createRetractFromFanOuts } from './retractions/retract-from-fan-outs.ts'
import { createRetractions } from './retractions/retractions.ts'
import { createCreateRequests } from './storing/create-requests.ts'
import { createStoreNotifications } from './storing/store-notifications.ts'
import { createUnfinished } from './storing/unfinished.ts'

type Options = {
  readonly announcing?: Announcing | undefined
  /** Documents that a step of an erasure examines; less in tests. */
  readonly documentsPerStep?: number
  /** For the limits of steps and inserts; the clocks of this process by default. */
  readonly clock?: Clock | undefined
  readonly now?: () => Date
}

/** Everything that events and requests cause, and the work that follows from it. */
export function createWriters(collections: Collections, options: Options = {}) {
  const { announcing, documentsPerStep, clock, now = () => new Date() } = options
  const { fanOuts, notifications, tombstones, tombstoneHeads, waitingReceipts } = collections
  const { digests, erasures, erasureHeads } = collections
  const personKeys = createPersonKeys(collections.personKeys)
  const erasedPersons = createErasedPersons(collections, personKeys)
  const eraseFromFanOuts = createEraseFromFanOuts(collections)
  const eraseSteps = createEraseSteps({ ...collections, eraseFromFanOuts, now, documentsPerStep, clock })
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
    erasures: createErasures({ erasures, erasureHeads, personKeys, eraseSteps }),
    erasedPersons,
    receipts,
    createRequests: createCreateRequests(collections.createRequests, clock),
    unfinished: createUnfinished({ fanOuts, tombstones, storeNotifications: insertNew, retractBy }),
    announcements: createAnnouncements({ fanOuts, digests, sources: [nextFanOuts, nextDigests] }),
    digests: createDigests({ fanOuts, notifications, digests, eraseWritten, now, clock }),
  }
}
