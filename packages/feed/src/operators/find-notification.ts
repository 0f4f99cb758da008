import { eachAtOnce, readLimits, toKey, toUuidBinary } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { recipientKeys } from '../documents/fan-out-document.ts'
import { bytesIn, decodePositions, positionsOf } from '../documents/recipient-list.ts'

export type Wanted = { readonly subscriberId: string; readonly id: string; readonly recipientId?: string | undefined }

export type NotificationSources = Pick<FeedCollections, 'fanOuts' | 'notifications'>

const lookupsAtOnce = 32
const receiptsOnly = { ...readLimits, projection: { readAt: 1, emailSentAt: 1 } } as const

/** How a notification reached its recipients, or the one recipient that was asked for. */
export async function findNotification(
  { fanOuts, notifications }: NotificationSources,
  { subscriberId, id, recipientId }: Wanted,
) {
  const fanOut = await fanOuts.findOne({ _id: toKey(subscriberId, id) }, { ...readLimits, projection: { content: 0 } })
  if (fanOut === null) return undefined
  const list = bytesIn(fanOut.recipients)
  const asked = recipientId === undefined ? undefined : bytesIn(toUuidBinary(recipientId))
  const positions = positionsOf(list, asked)
  const find = (_id: Binary) => notifications.findOne({ _id, retracted: { $exists: false } }, receiptsOnly)
  const looked = await eachAtOnce(recipientKeys(fanOut, positions), lookupsAtOnce, find)
  const found = looked.filter((document) => document !== null)
  const wanted = new Set(positions)
  const retractions = (fanOut.retractions ?? [])
    .map(({ at, positions: noted }) => ({ at, noted: positionsIn(noted).filter((position) => wanted.has(position)) }))
    .filter(({ noted }) => noted.length > 0)
  return {
    createdAt: fanOut.createdAt,
    /** Recipients that the event names; 0 if the one that was asked for is not among them. */
    recipients: positions.length,
    stored: found.length,
    /** Recipients from whom it was retracted, each in one note, and the time of the latest of these retractions. */
    retracted: retractions.flatMap(({ noted }) => noted).length,
    retractedAt: retractions.toSorted((one, other) => one.at.getTime() - other.at.getTime()).at(-1)?.at,
    /** Recipients who were erased; their ids are no longer known. */
    erased: fanOut.erased === undefined || recipientId !== undefined ? 0 : positionsIn(fanOut.erased).length,
    isRequest: fanOut.via === 'http',
    /** Whether it is still to be announced; not known to be announced otherwise. */
    isAnnouncementDue: fanOut.unannounced !== undefined,
    /** When another process completes the request, if it was cut off. */
    dueAt: fanOut.dueAt,
    ...(recipientId === undefined ? {} : { readAt: found[0]?.readAt, emailSentAt: found[0]?.emailSentAt }),
  }
}

const positionsIn = (bytes: Binary) => [...decodePositions(bytesIn(bytes))]
