import { limits } from '@herald/contracts'
import { asBuffer, eachAtOnce, inBatches, type JsonText, readLimits, uuidIn, writeAll } from '@herald/mongo'
import type { UpdateFilter } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import {
  type FanOutDocument,
  mutedPositions,
  recipientKeys,
  remainingPositions,
} from '../documents/fan-out-document.ts'
import type { NewNotification } from '../documents/notification-document.ts'
import { bytesIn, positionsOf } from '../documents/recipient-list.ts'
import { announcedJson, contentOf } from '../json/notification-json.ts'
import type { Announcement, DueBatch } from './announcement.ts'
import { toParts } from './parts.ts'

type Recipients = Pick<
  FanOutDocument,
  '_id' | 'createdAt' | 'recipients' | 'erased' | 'muted' | 'retractions' | 'unannounced'
>

/** A fan-out that was stored; with the notification, if all of its recipients have exactly that. */
export type JustStored = { readonly fanOut: FanOutDocument; readonly notification?: NewNotification | undefined }

export type Creations = ReturnType<typeof createCreations>

const lookupsAtOnce = 16
const exists = { $exists: true } as const

export function createCreations({ fanOuts, notifications }: Pick<FeedCollections, 'fanOuts' | 'notifications'>) {
  /**
   * The creation of one notification, unless it was retracted from all of its recipients. Read of any of them, because the
   * content is the same. A document may be deleted, so the others are tried in turn.
   */
  const read = async (fanOut: Recipients): Promise<Announcement[]> => {
    for (const _id of recipientKeys(fanOut, remainingPositions(fanOut))) {
      const document = await notifications.findOne({ _id }, { ...readLimits, raw: true })
      if (document) return toCreated(fanOut, announcedJson(asBuffer(document as unknown as Uint8Array)))
    }
    return []
  }

  return {
    read,
    async of(stored: readonly JustStored[]): Promise<DueBatch> {
      const known = stored.filter(({ fanOut, notification }) => notification && fanOut.unannounced)
      const items = known.map(({ fanOut, notification }) => ({
        announcements: toCreated(fanOut, contentOf(notification as NewNotification)),
      }))
      const keys = known.map(({ fanOut }) => fanOut._id)
      const unknown = stored.filter(({ notification }) => notification === undefined).map(({ fanOut }) => fanOut._id)
      if (unknown.length > 0) {
        const projection = { createdAt: 1, recipients: 1, erased: 1, muted: 1, retractions: 1, unannounced: 1 } as const
        const found = await fanOuts
          .find({ _id: { $in: unknown }, unannounced: exists }, { ...readLimits, projection })
          .toArray()
        const announced = await eachAtOnce(found, lookupsAtOnce, read)
        items.push(...announced.map((announcements) => ({ announcements })))
        keys.push(...found.map(({ _id }) => _id))
      }
      const update = async (change: UpdateFilter<FanOutDocument>) => {
        const filter = { _id: { $in: keys }, unannounced: exists }
        if (keys.length > 0) await writeAll(fanOuts, [{ updateMany: { filter, update: change } }])
      }
      return {
        items,
        settle: () => update({ $unset: { unannounced: true } }),
        postpone: (_, announceAt) => update({ $set: { 'unannounced.stored': true, announceAt } }),
      }
    },
  }
}

function toCreated(fanOut: Recipients, notification: JsonText): Announcement[] {
  const list = bytesIn(fanOut.recipients)
  const told = new Set(remainingPositions(fanOut))
  for (const position of mutedPositions(fanOut)) told.delete(position)
  const named = inBatches(positionsOf(list, undefined), limits.announcedRecipients)
  const parts = toParts(list, named, (position) => told.has(position))
  if (parts === undefined) return []
  const { _id, createdAt: time, unannounced } = fanOut
  const ids = { subscriberId: uuidIn(_id), notificationId: uuidIn(_id, 1) }
  return [{ kind: 'created', ...ids, time, notification, parts, traceparent: unannounced?.traceparent }]
}
