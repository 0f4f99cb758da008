import { Binary, type Collection } from 'mongodb'
import { toKey, toUuidBinary } from '../binary.ts'
import type { FanOutDocument, TakenBack } from '../fan-outs/fan-out-document.ts'
import { bytesIn, decodePositions, positionsOf, recipientAt } from '../fan-outs/recipient-list.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'

/** The id derived from an event, and optionally one of its recipients. */
export type Wanted = { readonly subscriberId: string; readonly id: string; readonly recipientId?: string | undefined }

/** How a notification reached its recipients, or the one recipient that was asked for. */
export type FoundNotification = {
  readonly createdAt: Date
  /** Recipients that the event names; 0 if the one that was asked for is not among them. */
  readonly recipients: number
  /** Recipients who have it. */
  readonly stored: number
  /** Recipients from whom it was retracted, and the time of the latest of these retractions. */
  readonly retracted: number
  readonly retractedAt?: Date | undefined
  /** Recipients who were erased. Who they were is no longer known. */
  readonly erased: number
  /** Whether a request created it rather than an event. */
  readonly isRequest: boolean
  /** Whether it is still to be announced; not known to be announced otherwise. */
  readonly isAnnouncementDue: boolean
  /** When another process completes the request, if it was cut off. */
  readonly dueAt?: Date | undefined
  /** Of the one recipient that was asked for. */
  readonly readAt?: Date | undefined
  readonly emailSentAt?: Date | undefined
}

export type NotificationSources = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly notifications: Collection<NotificationDocument>
}

const lookupsAtOnce = 32
/** Of a position in the list of recipients. */
const positionBytes = 2

/** Notifications that an earlier release stored have no fan-out and are found with their recipient only. */
export async function findNotification(
  { fanOuts, notifications }: NotificationSources,
  wanted: Wanted,
): Promise<FoundNotification | undefined> {
  const { subscriberId, id, recipientId } = wanted
  const fanOut = await fanOuts.findOne({ _id: toKey(subscriberId, id) }, { ...readLimits, projection: { content: 0 } })
  if (fanOut === null) return findWithoutFanOut(notifications, wanted)
  const list = bytesIn(fanOut.recipients)
  const asked = recipientId === undefined ? undefined : bytesIn(toUuidBinary(recipientId))
  const positions = positionsOf(list, asked)
  const [subscriber, tail] = [bytesIn(toUuidBinary(subscriberId)), bytesIn(toUuidBinary(id))]
  const keys = positions.map((position) => new Binary(Buffer.concat([subscriber, recipientAt(list, position), tail])))
  const found = await findEach(notifications, keys)
  const retractions = (fanOut.takenBack ?? []).filter((entry) => intersects(entry, positions))
  const retracted = new Set(retractions.flatMap(positionsIn))
  return {
    createdAt: fanOut.createdAt,
    recipients: positions.length,
    stored: found.length,
    retracted: positions.filter((position) => retracted.has(position)).length,
    erased: fanOut.erased === undefined || recipientId !== undefined ? 0 : fanOut.erased.length() / positionBytes,
    retractedAt: retractions.toSorted((one, other) => one.at.getTime() - other.at.getTime()).at(-1)?.at,
    isRequest: fanOut.via === 'http',
    isAnnouncementDue: fanOut.unannounced !== undefined,
    dueAt: fanOut.dueAt,
    ...(recipientId === undefined ? {} : { readAt: found[0]?.readAt, emailSentAt: found[0]?.emailSentAt }),
  }
}

const positionsIn = (entry: TakenBack) => [...decodePositions(bytesIn(entry.positions))]

function intersects(entry: TakenBack, positions: readonly number[]): boolean {
  const taken = new Set(positionsIn(entry))
  return positions.some((position) => taken.has(position))
}

async function findWithoutFanOut(
  notifications: Collection<NotificationDocument>,
  { subscriberId, id, recipientId }: Wanted,
): Promise<FoundNotification | undefined> {
  if (recipientId === undefined) return undefined
  const [found] = await findEach(notifications, [toKey(subscriberId, recipientId, id)])
  return (
    found && {
      ...{ ...found, recipients: 1, stored: 1, retracted: 0, erased: 0 },
      ...{ isRequest: false, isAnnouncementDue: false },
    }
  )
}

type Stored = Pick<NotificationDocument, 'createdAt' | 'readAt' | 'emailSentAt'>

/** Looks up each key on its own, because MongoDB 6 scans a whole clustered collection for a list of keys. */
async function findEach(notifications: Collection<NotificationDocument>, keys: readonly Binary[]): Promise<Stored[]> {
  const projection = { _id: 0, createdAt: 1, readAt: 1, emailSentAt: 1 } as const
  const found: Stored[] = []
  const pending = keys.values()
  const work = async (): Promise<void> => {
    for (const _id of pending) {
      const document = await notifications.findOne(
        { _id, retracted: { $exists: false } },
        { ...readLimits, projection },
      )
      if (document) found.push(document)
    }
  }
  await Promise.all(Array.from({ length: lookupsAtOnce }, work))
  return found
}
