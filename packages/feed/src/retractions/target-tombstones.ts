import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Binary } from 'mongodb'
import type { NewNotification } from '../documents/notification-document.ts'
import { bytesIn, recipientIdsIn } from '../documents/recipient-list.ts'
import { isInTime, recipientsOf, type TombstoneDocument } from '../documents/tombstone-document.ts'

export type TargetTombstones = ReturnType<typeof createTargetTombstones>

/**
 * The tombstones of one target, merged once for all notifications that it names: of those that name the same recipient the
 * one with the latest `until` counts, because it applies wherever another does.
 */
function createTargetTombstones({ target }: { readonly target: Binary }) {
  const ofRecipient = new Map<string, TombstoneDocument>()
  let ofEveryone: TombstoneDocument | undefined
  let bytes = 0
  let latest = new Date(0)
  const later = (known: TombstoneDocument | undefined, one: TombstoneDocument) =>
    known !== undefined && known.until >= one.until ? known : one
  const inTime = (tombstone: TombstoneDocument | undefined, notification: NewNotification) =>
    tombstone !== undefined && isInTime(tombstone.until, notification) ? tombstone : undefined

  return {
    target,
    bytes: () => bytes,
    add(tombstone: TombstoneDocument): void {
      const recipients = recipientsOf(tombstone)
      if (tombstone.until > latest) latest = tombstone.until
      if (recipients === undefined) ofEveryone = later(ofEveryone, tombstone)
      else for (const id of recipientIdsIn(recipients)) ofRecipient.set(id, later(ofRecipient.get(id), tombstone))
      bytes += recipients?.length ?? 0
    },
    /** Whether any applies to the notification, if it names one of its recipients. */
    mayApplyTo: (notification: NewNotification) => isInTime(latest, notification),
    /** The one that retracts the notification from a recipient. */
    from: (notification: NewNotification, recipientId: string) =>
      inTime(ofEveryone, notification) ?? inTime(ofRecipient.get(recipientId), notification),
  }
}

/** Merges tombstones that are sorted by target, each in a turn of its own. */
export async function* mergedByTarget(sorted: AsyncIterable<TombstoneDocument>): AsyncGenerator<TargetTombstones> {
  let merged: TargetTombstones | undefined
  for await (const tombstone of sorted) {
    if (merged && !bytesIn(merged.target).equals(bytesIn(tombstone.target))) {
      yield merged
      merged = undefined
    }
    merged ??= createTargetTombstones(tombstone)
    merged.add(tombstone)
    await nextTurn()
  }
  if (merged) yield merged
}
