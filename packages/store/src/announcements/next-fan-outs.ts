import type { Binary, Collection } from 'mongodb'
import { uuidIn } from '../binary.ts'
import { type FanOutDocument, gonePositions, type TakenBack } from '../fan-outs/fan-out-document.ts'
import { inBatches } from '../fan-outs/in-batches.ts'
import { bytesIn, decodePositions, positionsOf } from '../fan-outs/recipient-list.ts'
import { createRemoveRetracted, recipientKeys } from '../fan-outs/remove-retracted.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { AnnouncedContent, Announcement, DueBatch, DueItem } from './announcement.ts'
import { toParts } from './parts.ts'

/** Fan-outs that are read together: so many, or as many as have this many recipients together. */
const limit = { fanOuts: 200, recipientBytes: 20_000 * 16 } as const
const lookupsAtOnce = 16
const exists = { $exists: true } as const
const missing = { $exists: false } as const

/** The fan-outs of which something is to be announced. */
export function createNextFanOuts(
  fanOuts: Collection<FanOutDocument>,
  notifications: Collection<NotificationDocument>,
): (now: Date) => Promise<DueBatch> {
  const removeRetracted = createRemoveRetracted(notifications)

  /** Of any recipient, because the content is the same. A document may be gone, so the others are tried in turn. */
  const findContent = async (fanOut: FanOutDocument): Promise<AnnouncedContent | undefined> => {
    const gone = gonePositions(fanOut)
    const left = positionsOf(bytesIn(fanOut.recipients), undefined).filter((position) => !gone.has(position))
    for (const _id of recipientKeys(fanOut, left)) {
      const document = await notifications.findOne({ _id }, readLimits)
      if (document) return toContent(document)
    }
    return undefined
  }

  const toItem = async (fanOut: FanOutDocument): Promise<DueItem> => {
    const retracted = unannouncedIn(fanOut).map((entry) => toRetracted(fanOut, entry))
    const content = fanOut.unannounced?.stored ? await findContent(fanOut) : undefined
    return { announcements: [...(content ? toCreated(fanOut, content) : []), ...retracted.flat()] }
  }

  const find = async (now: Date): Promise<FanOutDocument[]> => {
    const projection = { bytes: { $binarySize: '$recipients' } }
    const options = { ...readLimits, hint: 'announce', sort: { announceAt: 1 }, limit: limit.fanOuts } as const
    const due = { announceAt: { $lte: now } }
    const found = await fanOuts.find<{ _id: Binary; bytes: number }>(due, { ...options, projection }).toArray()
    let bytes = 0
    const within = found.filter((one, index) => {
      bytes += one.bytes
      return index === 0 || bytes <= limit.recipientBytes
    })
    if (within.length === 0) return []
    return fanOuts.find({ _id: { $in: within.map(({ _id }) => _id) }, announceAt: exists }, readLimits).toArray()
  }

  return async (now) => {
    const found = await find(now)
    // The process that noted the retraction may have died before it deleted anything.
    await removeRetracted(found.flatMap(retractedKeys))
    const fanOutOf = new Map<DueItem, FanOutDocument>()
    for (const batch of inBatches(found, lookupsAtOnce)) {
      const items = await Promise.all(batch.map(toItem))
      for (const [index, item] of items.entries()) fanOutOf.set(item, batch[index] as FanOutDocument)
    }
    const write = async (items: readonly DueItem[], toUpdate: (fanOut: FanOutDocument) => object) => {
      const updates = items.map((item) => ({ updateOne: toUpdate(fanOutOf.get(item) as FanOutDocument) }))
      if (updates.length > 0) await fanOuts.bulkWrite(updates as never, { ordered: false })
    }
    return {
      items: [...fanOutOf.keys()],
      settle: (items) => write(items, toSettled),
      postpone: (items, until) =>
        write(items, ({ _id }) => ({ filter: { _id, announceAt: exists }, update: { $set: { announceAt: until } } })),
    }
  }
}

/** The creation of a notification, unless it was retracted from all recipients. */
export function toCreated(
  fanOut: Pick<FanOutDocument, '_id' | 'recipients' | 'erased' | 'takenBack' | 'unannounced'>,
  notification: AnnouncedContent,
): Announcement[] {
  const list = bytesIn(fanOut.recipients)
  const gone = gonePositions(fanOut)
  const parts = toParts(list, positionsOf(list, undefined), (position) => !gone.has(position))
  if (parts === undefined) return []
  const { traceparent } = fanOut.unannounced ?? {}
  return [{ kind: 'created', subscriberId: notification.subscriberId, notification, parts, traceparent }]
}

function toRetracted(fanOut: FanOutDocument, entry: TakenBack): Announcement[] {
  const { _id, recipients, erased } = fanOut
  const erasedSince = new Set(erased && decodePositions(bytesIn(erased)))
  const own = new Set([...decodePositions(bytesIn(entry.positions))].filter((position) => !erasedSince.has(position)))
  const named = [...decodePositions(bytesIn(entry.named ?? entry.positions))]
  const parts = toParts(bytesIn(recipients), named, (position) => own.has(position))
  if (parts === undefined) return []
  const ids = { subscriberId: uuidIn(_id), notificationId: uuidIn(_id, 1), by: uuidIn(entry.by) }
  return [{ kind: 'retracted', ...ids, time: entry.at, parts, traceparent: entry.unannounced?.traceparent }]
}

const unannouncedIn = ({ takenBack = [] }: FanOutDocument) =>
  takenBack.filter(({ unannounced }) => unannounced !== undefined)

function retractedKeys(fanOut: FanOutDocument): Binary[] {
  const positions = unannouncedIn(fanOut).flatMap((entry) => [...decodePositions(bytesIn(entry.positions))])
  return [...recipientKeys(fanOut, positions)]
}

/** Removes what was announced, unless the document has changed: then all of it is announced again. */
function toSettled({ _id, unannounced, takenBack = [] }: FanOutDocument) {
  const isStored = unannounced?.stored === true
  const entries = takenBack.flatMap((entry, index) => (entry.unannounced ? [`takenBack.${index}.unannounced`] : []))
  return {
    filter: {
      _id,
      [`takenBack.${takenBack.length}`]: missing,
      ...(isStored ? {} : { 'unannounced.stored': missing }),
    },
    update: {
      $unset: {
        announceAt: true,
        ...(isStored ? { unannounced: true } : {}),
        ...Object.fromEntries(entries.map((path) => [path, true])),
      },
    },
  }
}

function toContent(document: NotificationDocument): AnnouncedContent {
  const { _id, createdAt, type, actorName, actorImage, actorType, subjectType, locationType, metadata } = document
  return {
    id: uuidIn(_id, 2),
    subscriberId: uuidIn(_id),
    actor: { id: uuidIn(document.actorId), name: actorName, image: actorImage },
    ...{ type, actorType, createdAt, metadata, subjectType, locationType },
    subjectId: uuidIn(document.subjectId),
    locationId: uuidIn(document.locationId),
  }
}
