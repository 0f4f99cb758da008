import { limits, type ReadStatus } from '@herald/contracts'
import { Binary, BSON } from 'mongodb'
import { hex, keyRange, toKey, uuidIn } from '../documents/binary.ts'
import { type Box, boxes, type NotificationDocument } from '../documents/notification-document.ts'
import { findBytes } from '../reading/find-bytes.ts'
import type { PageSource } from '../reading/page.ts'
import { responseBytes } from '../reading/scan.ts'
import { readKey } from '../wire/bson.ts'
import { notificationJson } from '../wire/notification-json.ts'

export type GroupQuery = {
  readonly limit: number
  readonly status: ReadStatus
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

type Row = Pick<NotificationDocument, '_id' | 'box' | 'locationId' | 'locationType' | 'actorId'>
type Actor = Pick<NotificationDocument, '_id' | 'actorId' | 'actorName' | 'actorImage'>

/** The notifications of one location, from their rows in list order. */
type Group = Pick<Row, 'locationId' | 'locationType'> & {
  readonly latest: Binary
  /** The newest notification of each actor. */
  readonly newestOf: Map<string, Binary>
  count: number
  unreadCount: number
}

const windowSize = limits.groupedNotifications
const rowFields = { box: 1, locationId: 1, locationType: 1, actorId: 1 } as const
const actorFields = { actorId: 1, actorName: 1, actorImage: 1 } as const
const { unread, read, archived } = boxes
/** Those of lists and groups without archived notifications. */
export const inboxBoxes: Readonly<Record<ReadStatus, readonly Box[]>> = {
  all: [unread, read],
  unread: [unread],
  read: [read],
}

/**
 * Creates the function that returns a page of groups as the body of a response. Reads what the groups are made of, without
 * contents, from one range of an index, and then the notifications and actors that are shown.
 */
export function createGroups(
  { collection, budgets, reader, maxDocumentBytes }: PageSource<NotificationDocument>,
  prefix: readonly [string, string],
) {
  const readRows = async (status: ReadStatus, upTo: string | undefined): Promise<Row[]> => {
    const where = { box: { $in: inboxBoxes[status] }, _id: keyRange(prefix, { upTo }) }
    const options = { hint: 'box', projection: rowFields } as const
    const { documents } = await findBytes(collection, where, windowSize + 1, options)
    return documents.map((document) => BSON.deserialize(document) as Row)
  }

  /** By key, whatever happened to them since the rows were read. */
  const readByKey = async (keys: readonly Binary[], projection?: object): Promise<Map<string, Buffer>> => {
    const where = { box: { $in: [unread, read, archived] }, _id: { $in: keys } }
    const options = { hint: 'box', ...(projection ? { projection } : {}) }
    const { documents } = await findBytes(collection, where, keys.length + 1, options)
    return new Map(documents.map((document) => [hex(readKey(document)), document]))
  }

  return async ({ limit, status, cursor }: GroupQuery): Promise<Buffer> => {
    const from = cursor === undefined ? undefined : readCursor(cursor)
    const rows = await budgets.scans.within(reader, 1, () => readRows(status, from?.newest))
    const [newest] = rows
    const groups = groupsOf(rows.slice(0, windowSize))
    const left = from === undefined ? groups : groups.filter(({ latest }) => uuidIn(latest, 2) < from.last)
    const page = left.slice(0, limit)
    const bytes = responseBytes(page.length, maxDocumentBytes)
    const [latest, actors] = await budgets.bytes.within(reader, bytes, () =>
      Promise.all([readByKey(page.map((group) => group.latest)), readByKey(page.flatMap(shownActors), actorFields)]),
    )
    const texts = page.flatMap((group) => {
      const document = latest.get(hex(group.latest))
      // It was removed in the meantime.
      return document === undefined ? [] : toText(group, notificationJson(document).toString(), actors)
    })
    const last = left.length > limit ? page.at(-1) : undefined
    const nextCursor = last && newest ? toCursor(from?.newest ?? uuidIn(newest._id, 2), uuidIn(last.latest, 2)) : null
    const truncated = rows.length > windowSize
    const end = `"nextCursor":${JSON.stringify(nextCursor)},"truncated":${truncated}`
    return Buffer.from(`{"data":{"groups":[${texts.join()}],${end}}}`)
  }
}

function groupsOf(rows: readonly Row[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { _id, box, locationId, locationType, actorId } of rows) {
    const place = hex(locationId) + locationType
    const group = groups.get(place) ?? {
      locationId,
      locationType,
      latest: _id,
      newestOf: new Map(),
      count: 0,
      unreadCount: 0,
    }
    groups.set(place, group)
    group.count++
    if (box === unread) group.unreadCount++
    if (!group.newestOf.has(hex(actorId))) group.newestOf.set(hex(actorId), _id)
  }
  return [...groups.values()]
}

const shownActors = ({ newestOf }: Group) => [...newestOf.values()].slice(0, limits.groupActors)

function toText(group: Group, latest: string, actors: ReadonlyMap<string, Buffer>): string {
  const { locationType, locationId, count, unreadCount, newestOf } = group
  const shown = shownActors(group).flatMap((key) => {
    const document = actors.get(hex(key))
    if (document === undefined) return []
    const { actorId, actorName: name, actorImage: image } = BSON.deserialize(document) as Actor
    return [{ id: uuidIn(actorId), name, image }]
  })
  const place = { locationType, locationId: uuidIn(locationId) }
  const others = { count, unreadCount, actors: shown, otherActors: newestOf.size - shown.length }
  return `${JSON.stringify(place).slice(0, -1)},"latest":${latest},${JSON.stringify(others).slice(1)}`
}

/** The newest notification that the first page looked at, and the last one that was returned as the latest of a group. */
const toCursor = (newest: string, last: string) => Buffer.from(toKey(newest, last).buffer).toString('base64url')

function readCursor(cursor: string) {
  const key = new Binary(Buffer.from(cursor, 'base64url'))
  return { newest: uuidIn(key), last: uuidIn(key, 1) }
}
