import { toKey, uuidIn } from '../binary.ts'
import type { EraseStored } from '../erasures/erase-stored.ts'
import type { ErasedPersons } from '../erasures/erased-persons.ts'
import { toWithPersons } from '../erasures/mask.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { type FanOutDocument, recipientsIn } from './fan-out-document.ts'
import type { TakeBack } from './take-back.ts'
import type { Tombstones } from './tombstones.ts'

export type ApplyTombstonesDependencies = {
  readonly tombstones: Tombstones
  readonly takeBack: TakeBack
  readonly erasedPersons: ErasedPersons
  readonly eraseStored: EraseStored
}

/** Applies earlier retractions and erasures to fan-outs that were written after their notifications. */
export function createApplyTombstones(dependencies: ApplyTombstonesDependencies) {
  const { tombstones, takeBack, erasedPersons, eraseStored } = dependencies
  return async (fanOuts: readonly FanOutDocument[]): Promise<void> => {
    if (fanOuts.length === 0) return
    const notifications = fanOuts.map(toNotification)
    const [{ applying }, gone] = await Promise.all([
      tombstones.look(notifications),
      erasedPersons.look(notifications.map(toWithPersons)),
    ])
    await takeBack([...applying].map(([one, found]) => ({ key: toKey(one.subscriberId, one.id), tombstones: found })))
    if (!gone.isEmpty) await eraseStored(notifications, gone.find)
  }
}

/** The fields of a notification by which tombstones find it. */
function toNotification(fanOut: FanOutDocument): NewNotification {
  const { _id, createdAt, locationId, locationType, actorId, subjectId = actorId } = fanOut
  return {
    ...{ subscriberId: uuidIn(_id), id: uuidIn(_id, 1), createdAt, recipientIds: [...recipientsIn(fanOut)] },
    ...{ locationId: uuidIn(locationId), locationType, subjectId: uuidIn(subjectId) },
    actor: { id: uuidIn(actorId), name: '', image: '' },
  } as unknown as NewNotification
}
