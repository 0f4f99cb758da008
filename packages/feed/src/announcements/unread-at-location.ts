import { asBuffer, hex, inBatches, type JsonText, keyRange, keysUnder, readLimits, toKey, uuidIn } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { boxes } from '../documents/notification-document.ts'
import { notificationJson } from '../json/notification-json.ts'
import type { DueGroup } from './to-digest.ts'

/** In an array, where the driver leaves them undecoded; empty if it is at another location. */
type Newest = { readonly _id: Binary; readonly document: readonly Uint8Array[] }

/** Most recipients have fewer unread notifications, so these are read at once; of more, only the keys. */
const documentsAtOnce = 20
const keysPerQuery = 1_000
const options = { ...readLimits, hint: 'box' } as const
const newestFirst = { sort: { _id: -1 } } as const
const onlyKeys = { projection: { _id: 1 } } as const

/**
 * Reads the keys, newest first. Examines a limited number of documents, because the location is in no index of notifications:
 * all that are unread if the recipient has no more, otherwise those of the newest events of the location, and those that are due.
 * So all keys are found unless both the recipient and the location have more.
 */
export async function readUnreadAt(
  { notifications, fanOuts }: Pick<FeedCollections, 'notifications' | 'fanOuts'>,
  { subscriberId, recipientId, locationId, locationType, keys: due }: DueGroup,
  examinedAtMost = 5_000,
) {
  const unread = { box: boxes.unread, _id: keyRange([subscriberId, recipientId], {}) }
  const place = { locationId, locationType }

  const readNewest = (): Promise<Newest[]> => {
    const isThere = { $and: [{ $eq: ['$locationId', locationId] }, { $eq: ['$locationType', locationType] }] }
    const projection = { document: { $cond: [isThere, ['$$ROOT'], []] } }
    const given = { ...options, ...newestFirst, limit: documentsAtOnce, projection, fieldsAsRaw: { document: true } }
    return notifications.find<Newest>(unread, given).toArray()
  }
  const hasMore = async () => {
    const given = { ...options, ...newestFirst, ...onlyKeys, skip: examinedAtMost }
    return (await notifications.findOne(unread, given)) !== null
  }
  const readOfRecipient = async (): Promise<Binary[]> => {
    const given = { ...options, ...newestFirst, ...onlyKeys, limit: examinedAtMost }
    const found = await notifications.find({ ...unread, ...place }, given).toArray()
    return found.map(({ _id }) => _id)
  }
  const readOfLocation = async (): Promise<Binary[]> => {
    const given = { ...readLimits, ...newestFirst, ...onlyKeys, hint: 'location', limit: examinedAtMost }
    const events = await fanOuts.find({ locationId, _id: keysUnder([subscriberId], 2) }, given).toArray()
    const keys = [...events.map(({ _id }) => toKey(subscriberId, recipientId, uuidIn(_id, 1))), ...due]
    const found = new Map<string, Binary>()
    for (const batch of inBatches(keys, keysPerQuery)) {
      const where = { box: boxes.unread, _id: { $in: batch }, ...place }
      for await (const { _id } of notifications.find(where, { ...options, ...onlyKeys })) found.set(hex(_id), _id)
    }
    return [...found.keys()]
      .sort()
      .reverse()
      .flatMap((key) => found.get(key) ?? [])
  }

  const newest = await readNewest()
  const documents = new Map(newest.flatMap(({ _id, document: [one] }) => (one ? [[hex(_id), one] as const] : [])))
  const readKeys = async (): Promise<Binary[]> => {
    if (newest.length < documentsAtOnce)
      return newest.filter(({ document }) => document.length > 0).map(({ _id }) => _id)
    return (await hasMore()) ? readOfLocation() : readOfRecipient()
  }
  return {
    keys: await readKeys(),
    /** One of them as JSON, in the form of a list; `undefined` if it is no longer unread. */
    async jsonOf(key: Binary): Promise<JsonText | undefined> {
      const known = documents.get(hex(key))
      if (known) return notificationJson(asBuffer(known)).toString()
      const found = await notifications.findOne({ _id: key, box: boxes.unread }, { ...readLimits, raw: true })
      return found ? notificationJson(asBuffer(found as unknown as Uint8Array)).toString() : undefined
    },
  }
}
