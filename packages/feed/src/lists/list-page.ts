import type { Archived, LocationType, ReadStatus } from '@herald/contracts'
import {
  findPage,
  type IdRange,
  int32,
  isPlain,
  keyRange,
  type Page,
  type PageSource,
  type Scan,
  sizeOf,
  toUuidBinary,
} from '@herald/mongo'
import type { Filter } from 'mongodb'
import { type Box, boxes, type NotificationDocument, notRemoved } from '../documents/notification-document.ts'
import { inboxBoxes } from './groups.ts'

export type FeedQuery = IdRange & {
  readonly limit: number
  readonly status: ReadStatus
  readonly archived?: Archived
  readonly type?: string | undefined
  readonly locationType?: LocationType | undefined
  readonly locationId?: string | undefined
  readonly subjectId?: string | undefined
  readonly actorId?: string | undefined
}

type Prefix = readonly [subscriberId: string, recipientId: string]

/** Returns a page of a feed. It may be short and still have a next one: see {@link findPage}. */
export type ListPage = (source: PageSource<NotificationDocument>, prefix: Prefix, query: FeedQuery) => Promise<Page>

const { unread, read, archived } = boxes
const keptHints = 10_000

/**
 * An inbox whose newest notifications are not archived is the end of a range of the collection, which takes MongoDB two thirds of the
 * time of an index. If one is archived, the page is read again by the index, and from then on at once.
 */
export function createListPage(): ListPage {
  /** Feeds that are to be read by the index. Both ways find the same. */
  const withArchived = new Set<string>()

  async function findInCollection(source: PageSource<NotificationDocument>, prefix: Prefix, query: FeedQuery) {
    const feed = prefix[0] + prefix[1]
    if (withArchived.has(feed)) return undefined
    const range = { indexed: { _id: keyRange(prefix, query) }, filter: {} }
    const page = await findPage(source, range, query.limit, { unless: isElsewhere })
    if (page !== undefined) return page
    if (withArchived.size >= keptHints) withArchived.clear()
    withArchived.add(feed)
    return undefined
  }

  return async (source, prefix, query) => {
    const { status, archived = 'false', limit } = query
    const from = boxesOf[archived][status]
    if (from?.length === 0) return { documents: [], next: null }
    const filter = filterOf(query)
    const isInbox = from === inboxBoxes.all && isPlain({ filter })
    return (
      (isInbox && (await findInCollection(source, prefix, query))) ||
      findPage(source, toScan(prefix, from, query, filter), limit)
    )
  }
}

/** `box` and the end of the name, as a number of four bytes. */
const boxName = 0x00786f62

/** Whether a notification is archived, or about to be deleted. Its box is among the first fields. */
function isElsewhere(document: Buffer): boolean {
  for (let at = 4; document[at] !== 0; ) {
    const isBox = int32(document, at + 1) === boxName
    const type = document[at] as number
    while (document[++at] !== 0);
    at++
    if (isBox) return int32(document, at) >= archived
    at += sizeOf(type, document, at)
  }
  return false
}

/** The boxes that a list contains; `undefined` for all but those removed, which the collection itself has in order. */
const boxesOf: Readonly<Record<Archived, Readonly<Record<ReadStatus, readonly Box[] | undefined>>>> = {
  false: inboxBoxes,
  true: { all: [archived], unread: [], read: [archived] },
  any: { all: undefined, unread: [unread], read: [read, archived] },
}

function filterOf({ type, locationType, locationId, subjectId, actorId }: FeedQuery): Filter<NotificationDocument> {
  return {
    ...(type === undefined ? {} : { type }),
    ...(locationType === undefined ? {} : { locationType }),
    ...(locationId === undefined ? {} : { locationId: toUuidBinary(locationId) }),
    ...(subjectId === undefined ? {} : { subjectId: toUuidBinary(subjectId) }),
    ...(actorId === undefined ? {} : { actorId: toUuidBinary(actorId) }),
  } as Filter<NotificationDocument>
}

/** MongoDB merges the ranges of several boxes, so a page reads no more keys than its size and one for each box. */
function toScan(
  prefix: Prefix,
  from: readonly Box[] | undefined,
  range: IdRange,
  filter: Filter<NotificationDocument>,
): Scan<NotificationDocument> {
  const _id = keyRange(prefix, range)
  return from === undefined
    ? { indexed: { _id, ...notRemoved }, filter }
    : { indexed: { box: { $in: from }, _id }, filter, hint: 'box' }
}
