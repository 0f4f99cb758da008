/**
 * The ceilings of the query service, with only an HTTP server, MongoDB and its driver. MODE is one of:
 *
 * - `copy`: a page of 20 as the bytes that MongoDB sent, neither decoded nor authenticated. Node's own HTTP server (a third
 *   less CPU time than Fastify), one `find` command without the driver's cursor (half the time of a cursor), `singleBatch`,
 *   raw BSON, and reused sessions without causal consistency, as Herald does;
 * - `naive`: a typical implementation of the page: Fastify, `find().sort().limit()`, a mapping function, `JSON.stringify`;
 * - `count`: a covered count of the unread, of the same keys as Herald's, sent in the same way as in `copy`;
 * - `mark`: `findAndModify` with the same condition and update as Herald's, sent in the same way, its document not decoded.
 *
 * The path names the user. All run with the Node.js options of the query service.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { fastify } from 'fastify'
import { Binary, type ClientSession, type Document, MongoClient } from 'mongodb'

const { MODE = '', MONGODB_URI = '', MONGODB_DATABASE = '' } = process.env
const client = new MongoClient(MONGODB_URI, { writeConcern: { w: 'majority', journal: true } })
await client.connect()
const database = client.db(MONGODB_DATABASE)
const notifications = database.collection<{ _id: Binary } & Document>('notifications')

const bytes = (hex: string) => Buffer.from(hex.replaceAll('-', ''), 'hex')
const keyOf = (...ids: string[]) => new Binary(Buffer.concat(ids.map(bytes)))
const first = '00000000-0000-0000-0000-000000000000'
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const feedOf = (subscriber: string, user: string) => ({
  _id: { $gte: keyOf(subscriber, user, first), $lte: keyOf(subscriber, user, last) },
})
const pageSize = 20

/** Sends a command and returns the raw bytes of its response. */
type Send = (session: ClientSession, path: readonly string[]) => Promise<Uint8Array | null>

const plain: Record<string, Send | undefined> = { copy, count, mark }
const send = plain[MODE]
console.log(`listening at ${send ? await listenPlain(send) : await listenFastify()}`)

async function copy(session: ClientSession, [subscriber = '', user = '']: readonly string[]) {
  const find = {
    find: 'notifications',
    filter: feedOf(subscriber, user),
    sort: { _id: -1 },
    limit: pageSize,
    batchSize: pageSize,
    singleBatch: true,
  }
  const { cursor } = await database.command(find, { raw: true, session })
  return cursor as Uint8Array
}

async function count(session: ClientSession, [subscriber = '', user = '']: readonly string[]) {
  const query = { box: 0, ...feedOf(subscriber, user) }
  const mark = { find: 'seen-marks', filter: { _id: keyOf(subscriber, user) }, limit: 1, singleBatch: true }
  const [{ n }, { cursor }] = await Promise.all([
    database.command({ count: 'notifications', query, hint: 'box' }, { session }),
    database.command(mark),
  ])
  return Buffer.from(
    `{"unreadCount":${n},"unseenCount":${n},"seenUpTo":${JSON.stringify(cursor.firstBatch[0] ?? null)}}`,
  )
}

async function mark(session: ClientSession, [subscriber = '', user = '', id = '']: readonly string[]) {
  const findAndModify = {
    findAndModify: 'notifications',
    query: { _id: keyOf(subscriber, user, id) },
    update: {
      $set: { box: 0 },
      $max: { readStateAt: new Date() },
      $inc: { readVersion: 1 },
      $unset: { readAt: true, archivedAt: true, mutedAt: true, bulkMark: true },
    },
    new: true,
    writeConcern: { w: 'majority', j: true },
  }
  const { value } = await database.command(findAndModify, { raw: true, session })
  return value as Uint8Array | null
}

async function listenPlain(send: Send): Promise<string> {
  const sessions: ClientSession[] = []
  const server = createServer((request, response) => {
    const session = sessions.pop() ?? client.startSession({ causalConsistency: false })
    send(session, (request.url ?? '').slice(1).split('/'))
      .then((body) => {
        sessions.push(session)
        response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': body?.length ?? 0 })
        response.end(body ?? undefined)
      })
      .catch((error) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Params = { subscriber: string; user: string }

async function listenFastify(): Promise<string> {
  const app = fastify()
  app.get<{ Params: Params }>('/:subscriber/:user', async ({ params: { subscriber, user } }, reply) => {
    const documents = await notifications
      .find(feedOf(subscriber, user))
      .sort({ _id: -1 })
      // One more than the page shows whether another page follows.
      .limit(pageSize + 1)
      .toArray()
    const items = documents.slice(0, pageSize).map(toNotification)
    const nextCursor = documents.length > pageSize ? items.at(-1)?.id : null
    return reply.type('application/json').send(JSON.stringify({ data: { notifications: items, nextCursor } }))
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

function uuid(binary: Binary, at = 0): string {
  const hex = binary.toString('hex').slice(at * 2, at * 2 + 32)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function toNotification(document: Document) {
  return {
    id: uuid(document._id, 32),
    subscriberId: uuid(document._id),
    type: document.type,
    actorId: uuid(document.actorId),
    actorType: document.actorType,
    subjectId: uuid(document.subjectId),
    subjectType: document.subjectType,
    locationId: uuid(document.locationId),
    locationType: document.locationType,
    metadata: JSON.parse(document.metadata),
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.createdAt.toISOString(),
    actor: { id: uuid(document.actorId), name: document.actorName, image: document.actorImage },
    readAt: document.readAt?.toISOString() ?? null,
    emailSentAt: document.emailSentAt?.toISOString() ?? null,
  }
}
