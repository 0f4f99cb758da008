import type { Archived, LocationType, ReadStatus } from '@herald/contracts'
import type { Filter } from 'mongodb'
import { type IdRange, keyRange, toUuidBinary } from '../documents/binary.ts'
import { type Box, boxes, type NotificationDocument } from '../documents/notification-document.ts'
import { findPage, type PageSource } from '../reading/page.ts'
import type { Scan } from '../reading/scan.ts'
import { readInt32 } from '../wire/bson.ts'
import type { Page } from '../wire/byte-writer.ts'
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
    const feed = prefix.join('/')
    if (withArchived.has(feed)) return undefined
    const isElsewhere = (document: Buffer) => (readInt32(document, 'box') ?? unread) >= archived
    const page = await findPage(source, { indexed: { _id: keyRange(prefix, query) }, filter: {} }, query.limit, {
      unless: isElsewhere,
    })
    if (page !== undefined) return page
    if (withArchived.size >= keptHints) withArchived.clear()
    withArchived.add(feed)
    return undefined
  }

  return async (source, prefix, query) => {
    const { status, archived = 'false', limit, ...others } = query
    const from = boxesOf[archived][status]
    if (from?.length === 0) return { documents: [], next: null }
    const scan = toScan(prefix, from, others)
    const isInbox = from === inboxBoxes.all && Object.keys(scan.filter).length === 0
    return (isInbox && (await findInCollection(source, prefix, query))) || findPage(source, scan, limit)
  }
}

/** The boxes that a list contains; `undefined` for all of them, which the collection itself has in order. */
const boxesOf: Readonly<Record<Archived, Readonly<Record<ReadStatus, readonly Box[] | undefined>>>> = {
  false: inboxBoxes,
  true: { all: [archived], unread: [], read: [archived] },
  any: { all: undefined, unread: [unread], read: [read, archived] },
}

/** MongoDB merges the ranges of several boxes, so a page reads no more keys than its size and one for each box. */
function toScan(
  prefix: readonly string[],
  from: readonly Box[] | undefined,
  query: Omit<FeedQuery, 'status' | 'archived' | 'limit'>,
): Scan<NotificationDocument> {
  const { type, locationType, locationId, subjectId, actorId } = query
  const filter: Filter<NotificationDocument> = {
    ...(type === undefined ? {} : { type }),
    ...(locationType === undefined ? {} : { locationType }),
    ...(locationId === undefined ? {} : { locationId: toUuidBinary(locationId) }),
    ...(subjectId === undefined ? {} : { subjectId: toUuidBinary(subjectId) }),
    ...(actorId === undefined ? {} : { actorId: toUuidBinary(actorId) }),
  } as Filter<NotificationDocument>
  const _id = keyRange(prefix, query)
  return from === undefined
    ? { indexed: { _id }, filter }
    : { indexed: { box: { $in: from }, _id }, filter, hint: 'box' }
}
