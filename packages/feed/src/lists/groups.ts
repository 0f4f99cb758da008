import { bytesToUuid, limits, type ReadStatus } from '@herald/contracts'
import {
  binaryHeader,
  createOffsetReader,
  endOfText,
  findBytes,
  hex,
  inputOf,
  int32,
  keyRange,
  type PageSource,
  readKey,
  responseBytes,
  textAt,
  uuidIn,
} from '@herald/mongo'
import { type Binary, BSON } from 'mongodb'
import { type Box, boxes, type NotificationDocument } from '../documents/notification-document.ts'
import { notificationJson } from '../json/notification-json.ts'
import { beginAt, readGroupCursor, toGroupCursor, wasReturned } from './group-cursor.ts'

export type GroupQuery = {
  readonly limit: number
  readonly status: ReadStatus
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

type Actor = Pick<NotificationDocument, '_id' | 'actorId' | 'actorName' | 'actorImage'>

/** The notifications of one location, from their rows in list order. */
type Group = {
  /** Names the location. */
  readonly place: string
  readonly locationType: string
  readonly locationId: string
  readonly latest: Binary
  /** The row of the newest notification of each actor. */
  readonly newestOf: Map<string, Buffer>
  count: number
  unreadCount: number
}

const windowSize = limits.groupedNotifications
const rowFields = ['box', 'locationId', 'locationType', 'actorId'] as const
const rowProjection = Object.fromEntries(rowFields.map((field) => [field, 1]))
const actorFields = { actorId: 1, actorName: 1, actorImage: 1 } as const
const { unread, read, archived } = boxes
/** The boxes of lists and groups without archived notifications. */
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
  const readRows = async (status: ReadStatus, upTo: string | undefined): Promise<Buffer[]> => {
    const where = { box: { $in: inboxBoxes[status] }, _id: keyRange(prefix, { upTo }) }
    const options = { hint: 'box', projection: rowProjection }
    return (await findBytes(collection, where, windowSize + 1, options)).documents
  }

  /** By key, whatever happened to them since the rows were read. */
  const readByKey = async (keys: readonly Binary[], projection?: object): Promise<Map<string, Buffer>> => {
    const where = { box: { $in: [unread, read, archived] }, _id: { $in: keys } }
    const options = { hint: 'box', ...(projection ? { projection } : {}) }
    const { documents } = await findBytes(collection, where, keys.length + 1, options)
    return new Map(documents.map((document) => [hex(readKey(document)), document]))
  }

  return async ({ limit, status, cursor }: GroupQuery): Promise<Buffer> => {
    const from = cursor === undefined ? undefined : readGroupCursor(cursor)
    const rows = await budgets.scans.within(reader, 1, () => readRows(status, from?.newest))
    const groups = groupsOf(rows.slice(0, windowSize))
    const parts = Map.groupBy(groups, (group) => from !== undefined && wasReturned(from, group))
    const [left = [], returned = []] = [parts.get(false), parts.get(true)]
    const page = left.slice(0, limit)
    const bytes = responseBytes(page.length, maxDocumentBytes)
    const [latest, actors] = await budgets.bytes.within(reader, bytes, () =>
      Promise.all([readByKey(page.map((group) => group.latest)), readByKey(page.flatMap(shownActors), actorFields)]),
    )
    // Without those whose latest was removed in the meantime: if others are left, a later page returns them.
    const found = page.filter((group) => latest.has(hex(group.latest)))
    const texts = found.flatMap((group, n) => {
      const json = toJson(group, latest.get(hex(group.latest)) as Buffer, actors)
      return n === 0 ? json : [comma, ...json]
    })
    const [newest] = groups
    const last = left.length > limit ? page.at(-1) : undefined
    const nextCursor = newest && last ? toGroupCursor(from ?? beginAt(newest), last, [...returned, ...found]) : null
    const truncated = rows.length > windowSize
    const end = `"nextCursor":${JSON.stringify(nextCursor)},"truncated":${truncated}`
    return Buffer.concat([Buffer.from('{"data":{"groups":['), ...texts, Buffer.from(`],${end}}}`)])
  }
}

const comma = Buffer.from(',')
const readRow = createOffsetReader(rowFields)

/** From the bytes of the rows: objects of a thousand of them would be most of a request's garbage. */
function groupsOf(rows: readonly Buffer[]): readonly Group[] {
  const groups = new Map<string, Group>()
  const [first] = rows
  if (first === undefined) return []
  // Documents of one response share its buffer.
  const input = inputOf(first)
  const { bytes } = input
  const idBytes = (at: number) => bytes.toString('latin1', at + binaryHeader, at + binaryHeader + 16)
  for (const row of rows) {
    const [boxAt = 0, locationAt = 0, typeAt = 0, actorAt = 0] = readRow(input, row.byteOffset)
    const locationType = bytes.toString('utf8', typeAt + textAt, endOfText(bytes, typeAt + textAt))
    const place = idBytes(locationAt) + locationType
    const group = groups.get(place) ?? {
      place,
      locationId: bytesToUuid(bytes, locationAt + binaryHeader),
      locationType,
      latest: readKey(row),
      newestOf: new Map(),
      count: 0,
      unreadCount: 0,
    }
    groups.set(place, group)
    group.count++
    if (int32(bytes, boxAt) === unread) group.unreadCount++
    const actor = idBytes(actorAt)
    if (!group.newestOf.has(actor)) group.newestOf.set(actor, row)
  }
  return [...groups.values()]
}

const shownActors = ({ newestOf }: Group) => [...newestOf.values()].slice(0, limits.groupActors).map(readKey)

/** Large texts stay bytes. */
function toJson(group: Group, latest: Buffer, actors: ReadonlyMap<string, Buffer>): readonly Buffer[] {
  const { locationType, locationId, count, unreadCount, newestOf } = group
  const shown = shownActors(group).flatMap((key) => {
    const document = actors.get(hex(key))
    if (document === undefined) return []
    const { actorId, actorName: name, actorImage: image } = BSON.deserialize(document) as Actor
    return [{ id: uuidIn(actorId), name, image }]
  })
  const place = { locationType, locationId }
  const others = { count, unreadCount, actors: shown, otherActors: newestOf.size - shown.length }
  const before = `${JSON.stringify(place).slice(0, -1)},"latest":`
  return [Buffer.from(before), notificationJson(latest), Buffer.from(`,${JSON.stringify(others).slice(1)}`)]
}
