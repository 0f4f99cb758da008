import { Binary, type CreateCollectionOptions, type Document, type Filter, type IndexDescription } from 'mongodb'
import type { Address, Notification } from './documents.ts'

/** A layout of the collection `notifications` with the product's queries for it. */
export type Layout = {
  name: string
  about: string
  options: CreateCollectionOptions
  indexes: IndexDescription[]
  toDocument: (notification: Notification) => Document
  byKey: (address: Address) => Filter<Document>
  /** The notifications of one recipient, or those older than `address.id` where `older` is set. */
  feed: (address: Address, older?: boolean) => Filter<Document>
  newestFirst: Record<string, -1>
  states: States
  feedHint: string | Record<string, 1>
}

/** How a layout tells the unread apart: fields of a new document, filters of a page and of the unread, an index, and a mark. */
type States = {
  fields: Document
  listed: Document
  unread: Document
  read: Document
  hint: string
  toRead: Document
}

const whileUnread: States = {
  fields: { unread: true },
  listed: {},
  unread: { unread: true },
  read: { unread: null },
  hint: 'unread',
  toRead: { $set: { readAt: new Date() }, $unset: { unread: '' } },
}

const boxed: States = {
  fields: { box: 0 },
  listed: { box: { $in: [0, 1] } },
  unread: { box: 0 },
  read: { box: 1 },
  hint: 'box',
  toRead: { $set: { box: 1, readAt: new Date() } },
}

const lowest = Buffer.alloc(16, 0x00)
const highest = Buffer.alloc(16, 0xff)
const uuid = (bytes: Buffer) => new Binary(bytes, Binary.SUBTYPE_UUID)
const joined = ({ subscriber, recipient, id }: Address) => new Binary(Buffer.concat([subscriber, recipient, id]))
const embedded = ({ subscriber, recipient, id }: Address) => ({ s: uuid(subscriber), r: uuid(recipient), n: uuid(id) })

function body({ content }: Notification, fields: Document): Document {
  return {
    v: 1,
    ...fields,
    createdAt: content.createdAt,
    type: 'mention',
    actorId: uuid(content.actorId),
    actorType: 'user',
    actorName: content.actorName,
    actorImage: content.actorImage,
    subjectId: uuid(content.subjectId),
    subjectType: 'entity',
    locationId: uuid(content.locationId),
    locationType: 'file comment',
    metadata: content.metadata,
  }
}

/** The feed is a range of `_id`; `key` makes an `_id` that sorts by subscriber, recipient, id. */
function keyedByAddress(key: (address: Address) => unknown, states = whileUnread) {
  return {
    states,
    indexes: [
      states === boxed
        ? { key: { box: 1, _id: 1 }, name: 'box' }
        : { key: { unread: 1, _id: 1 }, name: 'unread', partialFilterExpression: { unread: true } },
    ],
    toDocument: (notification: Notification): Document => ({
      _id: key(notification.address),
      ...body(notification, states.fields),
    }),
    byKey: (address: Address) => ({ _id: key(address) }) as Filter<Document>,
    feed: (address: Address, older = false) => {
      const range = { $gte: key({ ...address, id: lowest }), $lt: key(older ? address : { ...address, id: highest }) }
      return { _id: range } as Filter<Document>
    },
    newestFirst: { _id: -1 } as const,
    feedHint: (states === boxed ? 'box' : { _id: 1 }) as string | { _id: 1 },
  }
}

const clustered: CreateCollectionOptions = { clusteredIndex: { key: { _id: 1 }, unique: true } }
const leaves = (kib: number) => ({
  storageEngine: { wiredTiger: { configString: `leaf_page_max=${kib}KB,allocation_size=512B` } },
})
const keyed = keyedByAddress(joined)
const boxedByAddress = keyedByAddress(joined, boxed)
const zstd: CreateCollectionOptions = { storageEngine: { wiredTiger: { configString: 'block_compressor=zstd' } } }

export const layouts: readonly Layout[] = [
  { name: 'A', about: 'clustered, _id of 48 bytes, snappy', options: clustered, ...keyedByAddress(joined) },
  { name: 'Az', about: 'A with zstd', options: { ...clustered, ...zstd }, ...keyedByAddress(joined) },
  {
    name: 'A8s',
    about: 'A with leaves of 8 KB, in multiples of 512 bytes',
    options: { ...clustered, ...leaves(8) },
    ...keyed,
  },
  {
    name: 'A8is',
    about: 'A8s, and the index of the unread with leaves of 4 KB, in multiples of 512 bytes',
    options: { ...clustered, ...leaves(8) },
    ...keyed,
    indexes: keyed.indexes.map((plan) => ({ ...plan, ...leaves(4) })),
  },
  {
    name: 'A8ib',
    about: 'A8is with an index of unread, read and archived ones instead',
    options: { ...clustered, ...leaves(8) },
    ...boxedByAddress,
    indexes: boxedByAddress.indexes.map((plan) => ({ ...plan, ...leaves(4) })),
  },
  { name: 'A2', about: 'clustered, _id {s, r, n}, snappy', options: clustered, ...keyedByAddress(embedded) },
  {
    name: 'B',
    about: 'ordinary, _id of 48 bytes and a feed index, snappy',
    options: {},
    ...keyedByAddress(joined),
    indexes: [
      { key: { subscriberId: 1, recipientId: 1, id: 1 }, name: 'feed', unique: true },
      {
        key: { subscriberId: 1, recipientId: 1, unread: 1, id: 1 },
        name: 'unread',
        partialFilterExpression: { unread: true },
      },
    ],
    toDocument: (notification) => {
      const { subscriber, recipient, id } = notification.address
      const own = { subscriberId: uuid(subscriber), recipientId: uuid(recipient), id: uuid(id) }
      return { _id: joined(notification.address), ...own, ...body(notification, whileUnread.fields) }
    },
    feed: ({ subscriber, recipient, id }, older = false) => {
      const own = { subscriberId: uuid(subscriber), recipientId: uuid(recipient) }
      return older ? { ...own, id: { $lt: uuid(id) } } : own
    },
    newestFirst: { id: -1 },
    feedHint: 'feed',
    states: whileUnread,
  },
  { name: 'C', about: 'ordinary, _id of 48 bytes is the feed, snappy', options: {}, ...keyedByAddress(joined) },
]
