import type { Collection } from 'mongodb'
import type { Announcing } from '../announcements/announcing.ts'
import type { EraseFromFanOuts } from '../erasures/erase-from-fan-outs.ts'
import { createEraseStored } from '../erasures/erase-stored.ts'
import type { ErasedPersons } from '../erasures/erased-persons.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { createApplyTombstones } from './apply-tombstones.ts'
import type { FanOutDocument } from './fan-out-document.ts'
import {
  createFanOutNotifications,
  type InsertForRecipients,
  type StoreNotifications,
} from './fan-out-notifications.ts'
import { createFindRetracted, type FindRetracted } from './find-retracted.ts'
import { createRemoveRetracted } from './remove-retracted.ts'
import { createRetractions, type Retractions } from './retractions.ts'
import { createTakeBack } from './take-back.ts'
import type { TombstoneDocument } from './tombstone-document.ts'
import type { TombstoneHead } from './tombstone-heads.ts'
import { createTombstones } from './tombstones.ts'
import { createUnfinished, type Unfinished } from './unfinished.ts'

export type FanOutRoomDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly tombstones: Collection<TombstoneDocument>
  /** The same collection. */
  readonly heads: Collection<TombstoneHead>
  readonly notifications: Collection<NotificationDocument>
  /** Nothing is announced without it. */
  readonly announcing?: Announcing | undefined
  /** Stores each notification for its recipients. */
  readonly insertForRecipients: InsertForRecipients
  readonly erasedPersons: ErasedPersons
  readonly eraseFromFanOuts: EraseFromFanOuts
}

export type FanOutRoom = {
  readonly insertNew: StoreNotifications
  readonly retractions: Retractions
  readonly findRetracted: FindRetracted
  readonly unfinished: Unfinished
  /** For fan-outs that are written after their notifications. */
  readonly applyTombstones: (fanOuts: readonly FanOutDocument[]) => Promise<void>
}

/** Storing and retracting notifications. */
export function createFanOutRoom(dependencies: FanOutRoomDependencies): FanOutRoom {
  const { fanOuts, tombstones, heads, notifications, announcing, insertForRecipients } = dependencies
  const { erasedPersons, eraseFromFanOuts } = dependencies
  const removeRetracted = createRemoveRetracted(notifications)
  const takeBack = createTakeBack({ fanOuts, removeRetracted, announcing })
  const looking = {
    tombstones: createTombstones(tombstones, heads),
    takeBack,
    erasedPersons,
    eraseStored: createEraseStored({ fanOuts, removeRetracted, eraseFromFanOuts }),
  }
  const storeNotifications = createFanOutNotifications({ ...looking, fanOuts, announcing, insertForRecipients })
  const { carryOut, ...retractions } = createRetractions({ tombstones, heads, fanOuts, takeBack })
  return {
    insertNew: storeNotifications,
    retractions,
    findRetracted: createFindRetracted(fanOuts, tombstones),
    applyTombstones: createApplyTombstones(looking),
    unfinished: createUnfinished({ fanOuts, tombstones, storeNotifications, carryOut }),
  }
}
