import { Binary, type Collection, type Db, type Document } from 'mongodb'

// The tests depend on nothing in the store but the keys of two collections.
export type Keyed = Document & { _id: Binary }
const notifications = (database: Db): Collection<Keyed> => database.collection('notifications')
const changeEntries = (database: Db): Collection<Keyed> => database.collection('change-entries')

const toBinary = (hex: string) => new Binary(Buffer.from(hex, 'hex'))
const key = (...uuids: string[]) => toBinary(uuids.join('').replaceAll('-', ''))

/** Keys of `uuids` UUIDs, of which the first, the subscriber's, begins so. */
export function keysOf(subscriber: string, uuids: number) {
  const begin = subscriber.replaceAll('-', '')
  const rest = uuids * 32 - begin.length
  return { _id: { $gte: toBinary(begin + '0'.repeat(rest)), $lte: toBinary(begin + 'f'.repeat(rest)) } }
}

export type Stored = { notifications: string[]; changeEntries: string[] }

const lastUuid = ({ _id }: Keyed) => Buffer.from(_id.buffer).subarray(-16).toString('hex')

/** Sorted ids of all documents of a subscriber; an id with two documents appears twice. */
export async function idsStored(database: Db, subscriberId: string): Promise<Stored> {
  const idsIn = async (collection: Collection<Keyed>, uuids: number) => {
    const found = await collection.find(keysOf(subscriberId, uuids), { projection: { _id: 1 } }).toArray()
    return found.map(lastUuid).map(withDashes).sort()
  }
  return {
    notifications: await idsIn(notifications(database), 3),
    changeEntries: await idsIn(changeEntries(database), 2),
  }
}

const withDashes = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** The number of a subscriber's stored notifications and change entries. */
export async function countStored(database: Db, subscriberId: string): Promise<number> {
  return (
    (await notifications(database).countDocuments(keysOf(subscriberId, 3))) +
    (await changeEntries(database).countDocuments(keysOf(subscriberId, 2)))
  )
}

/** Deletes a recipient's notification, as its expiry would. */
export async function deleteNotification(
  database: Db,
  { subscriberId, id: recipientId }: { subscriberId: string; id: string },
  notificationId: string,
): Promise<void> {
  const { deletedCount } = await notifications(database).deleteOne({
    _id: key(subscriberId, recipientId, notificationId),
  })
  if (deletedCount !== 1) throw new Error(`${notificationId} is not stored for ${recipientId}`)
}
