import type { Binary, Collection } from 'mongodb'
import { hex, keyRange } from '../documents/binary.ts'
import { boxes, type JsonText, type NotificationDocument } from '../documents/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { asBuffer, readKey } from '../wire/bson.ts'
import { notificationJson } from '../wire/notification-json.ts'
import type { DueGroup } from './to-digest.ts'

/** Most recipients have one or two, so these are read at once; of more, only the keys. */
const documentsAtOnce = 20
const keysAtMost = 10_000

/** Reads the keys, newest first: all of them, or a limited number with those that are due; and the number of all. */
export async function readUnreadAt(
  notifications: Collection<NotificationDocument>,
  { subscriberId, recipientId, locationId, locationType, keys: due }: DueGroup,
) {
  const where = { box: boxes.unread, _id: keyRange([subscriberId, recipientId], {}), locationId, locationType }
  const options = { ...readLimits, hint: 'box', sort: { _id: -1 } } as const
  const newest = await notifications.find(where, { ...options, limit: documentsAtOnce, raw: true }).toArray()
  const documents = newest.map((document) => asBuffer(document as unknown as Uint8Array))
  /** One of them as JSON, in the form of a list; `undefined` if it is no longer unread. */
  const jsonOf = async (key: Binary): Promise<JsonText | undefined> => {
    const known = documents.find((document) => hex(readKey(document)) === hex(key))
    if (known) return notificationJson(known).toString()
    const found = await notifications.findOne({ _id: key, box: boxes.unread }, { ...readLimits, raw: true })
    return found ? notificationJson(asBuffer(found as unknown as Uint8Array)).toString() : undefined
  }
  if (newest.length < documentsAtOnce) return { keys: documents.map(readKey), count: newest.length, jsonOf }
  const keys = await notifications
    .find(where, { ...options, limit: keysAtMost, projection: { _id: 1 } })
    .map(({ _id }) => _id)
    .toArray()
  if (keys.length < keysAtMost) return { keys, count: keys.length, jsonOf }
  const known = new Set(keys.map(hex))
  const older = due.filter((key) => !known.has(hex(key))).toSorted((a, b) => Buffer.compare(b.buffer, a.buffer))
  const count = await notifications.countDocuments(where, { ...readLimits, hint: 'box' })
  return { keys: [...keys, ...older], count, jsonOf }
}
