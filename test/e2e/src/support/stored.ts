import { Binary, type Collection, type Db, type Document } from 'mongodb'

// What these tests know of the store, and need no more: the keys of two collections.
type Keyed = Document & { _id: Binary }
const notifications = (database: Db): Collection<Keyed> => database.collection('notifications')
const changeEntries = (database: Db): Collection<Keyed> => database.collection('change-entries')

const key = (...uuids: string[]) => new Binary(Buffer.from(uuids.join('').replaceAll('-', ''), 'hex'))

export type Stored = { notifications: string[]; changeEntries: string[] }

const lastUuid = ({ _id }: Keyed) => Buffer.from(_id.buffer).subarray(-16).toString('hex')

/** The ids of all that is stored, each as often as there are documents of it, sorted. */
export async function idsStored(database: Db): Promise<Stored> {
  const idsIn = async (collection: Collection<Keyed>) =>
    (await collection.find({}, { projection: { _id: 1 } }).toArray()).map(lastUuid).map(withDashes).sort()
  return { notifications: await idsIn(notifications(database)), changeEntries: await idsIn(changeEntries(database)) }
}

const withDashes = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** How many documents there are, both kinds together. */
export async function countStored(database: Db): Promise<number> {
  return (await notifications(database).countDocuments()) + (await changeEntries(database).countDocuments())
}

/** Takes a recipient's notification away, as its expiry would. */
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
