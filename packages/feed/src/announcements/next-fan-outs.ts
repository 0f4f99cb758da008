import { eachAtOnce, readLimits, uuidIn, writeAll } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { type FanOutDocument, type RetractionNote, recipientKeys } from '../documents/fan-out-document.ts'
import { bytesIn, decodePositions } from '../documents/recipient-list.ts'
import type { RemoveRetracted } from '../retractions/remove-retracted.ts'
import type { Announcement, DueBatch, DueItem } from './announcement.ts'
import type { Creations } from './creations.ts'
import { keysWithin } from './keys-within.ts'
import { toRetractedParts } from './parts.ts'

const fanOutsPerRead = 200
const lookupsAtOnce = 16
const exists = { $exists: true } as const
const missing = { $exists: false } as const

export type NextFanOutsDependencies = Pick<FeedCollections, 'fanOuts'> & {
  readonly creations: Pick<Creations, 'read'>
  readonly removeRetracted: RemoveRetracted
}

export function createNextFanOuts(dependencies: NextFanOutsDependencies): (now: Date) => Promise<DueBatch> {
  const { fanOuts, creations, removeRetracted } = dependencies

  const toItem = async (fanOut: FanOutDocument): Promise<DueItem> => {
    const retracted = unannouncedIn(fanOut).flatMap((note) => toRetracted(fanOut, note))
    const created = fanOut.unannounced?.stored ? await creations.read(fanOut) : []
    return { announcements: [...created, ...retracted] }
  }

  const find = async (now: Date): Promise<FanOutDocument[]> => {
    const options = { hint: 'announce', sort: { announceAt: 1 }, limit: fanOutsPerRead } as const
    const keys = await keysWithin(fanOuts, { announceAt: { $lte: now } }, options)
    if (keys.length === 0) return []
    return fanOuts.find({ _id: { $in: keys }, announceAt: exists }, readLimits).toArray()
  }

  return async (now) => {
    const found = await find(now)
    // The process that noted the retraction may have died before it deleted anything.
    await removeRetracted(found.flatMap(retractedKeys))
    const due = await eachAtOnce(found, lookupsAtOnce, toItem)
    const fanOutOf = new Map(due.map((item, index) => [item, found[index] as FanOutDocument]))
    const write = async (items: readonly DueItem[], toUpdate: (fanOut: FanOutDocument) => object) => {
      const updates = items.map((item) => ({ updateOne: toUpdate(fanOutOf.get(item) as FanOutDocument) }))
      await writeAll(fanOuts, updates as never)
    }
    return {
      items: due,
      settle: (items) => write(items, toSettled),
      postpone: (items, until) =>
        write(items, ({ _id }) => ({ filter: { _id, announceAt: exists }, update: { $set: { announceAt: until } } })),
    }
  }
}

function toRetracted(fanOut: FanOutDocument, note: RetractionNote): Announcement[] {
  const parts = toRetractedParts(fanOut, note)
  if (parts === undefined) return []
  const ids = { subscriberId: uuidIn(fanOut._id), notificationId: uuidIn(fanOut._id, 1), by: uuidIn(note.by) }
  return [{ kind: 'retracted', ...ids, time: note.at, parts, traceparent: note.unannounced?.traceparent }]
}

const unannouncedIn = ({ retractions = [] }: FanOutDocument) =>
  retractions.filter(({ unannounced }) => unannounced !== undefined)

function retractedKeys(fanOut: FanOutDocument): Binary[] {
  const positions = unannouncedIn(fanOut).flatMap((note) => [...decodePositions(bytesIn(note.positions))])
  return [...recipientKeys(fanOut, positions)]
}

/** Removes what was announced, unless the document has changed: then all of it is announced again. */
function toSettled({ _id, unannounced, retractions = [] }: FanOutDocument) {
  const isStored = unannounced?.stored === true
  const announced = retractions.flatMap((note, index) =>
    note.unannounced ? [`retractions.${index}.unannounced`, `retractions.${index}.perPart`] : [],
  )
  return {
    filter: {
      _id,
      [`retractions.${retractions.length}`]: missing,
      ...(isStored ? {} : { 'unannounced.stored': missing }),
    },
    update: {
      $unset: {
        announceAt: true,
        ...(isStored ? { unannounced: true } : {}),
        ...Object.fromEntries(announced.map((path) => [path, true])),
      },
    },
  }
}
