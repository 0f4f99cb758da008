import { Binary, type Collection, type Db, type Document } from 'mongodb'

// The tests depend on nothing in the store but the keys of two collections.
type Keyed = Document & { _id: Binary }
const notifications = (database: Db): Collection<Keyed> => database.collection('notifications')
const changeEntries = (database: Db): Collection<Keyed> => database.collection('change-entries')

const key = (...uuids: string[]) => new Binary(Buffer.from(uuids.join('').replaceAll('-', ''), 'hex'))

export type Stored = { notifications: string[]; changeEntries: string[] }

const lastUuid = ({ _id }: Keyed) => Buffer.from(_id.buffer).subarray(-16).toString('hex')

/** Sorted ids of all stored documents; an id with two documents appears twice. */
export async function idsStored(database: Db): Promise<Stored> {
  const idsIn = async (collection: Collection<Keyed>) =>
    (await collection.find({}, { projection: { _id: 1 } }).toArray()).map(lastUuid).map(withDashes).sort()
  return { notifications: await idsIn(notifications(database)), changeEntries: await idsIn(changeEntries(database)) }
}

const withDashes = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** The number of stored notifications and change entries. */
export async function countStored(database: Db): Promise<number> {
  return (await notifications(database).countDocuments()) + (await changeEntries(database).countDocuments())
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
