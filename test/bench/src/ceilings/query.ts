/**
 * The ceilings of the query service, with only Fastify, MongoDB and its driver. MODE is one of:
 *
 * - `raw`: a page of 20 as BSON, not decoded;
 * - `naive`: a typical implementation of the page: `find().sort().limit()`, a mapping function, `JSON.stringify`;
 * - `ping`: a command without work;
 * - `mark`: the driver's `findOneAndUpdate`.
 *
 * The path names the user; nothing is authenticated.
 */
import process from 'node:process'
import { fastify } from 'fastify'
import { Binary, type Document, MongoClient } from 'mongodb'

const { MODE = '', MONGODB_URI = '', MONGODB_DATABASE = '' } = process.env
const client = new MongoClient(MONGODB_URI, { writeConcern: { w: 'majority', journal: true } })
await client.connect()
const database = client.db(MONGODB_DATABASE)
const notifications = database.collection<{ _id: Binary } & Document>('notifications')
const app = fastify()

const bytes = (hex: string) => Buffer.from(hex.replaceAll('-', ''), 'hex')
const keyOf = (...ids: string[]) => new Binary(Buffer.concat(ids.map(bytes)))
const first = '00000000-0000-0000-0000-000000000000'
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
type Params = { subscriber: string; user: string; id: string }

const page = ({ subscriber, user }: Params, options = {}) =>
  notifications
    .find({ _id: { $gte: keyOf(subscriber, user, first), $lte: keyOf(subscriber, user, last) } }, options)
    .sort({ _id: -1 })
    .limit(21)
    .toArray()

const uuid = (binary: Binary, at = 0) => {
  const hex = binary.toString('hex').slice(at * 2, at * 2 + 32)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const toNotification = (document: Document) => ({
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
})

app.get<{ Params: Params }>('/:subscriber/:user', async ({ params }, reply) => {
  if (MODE === 'ping') return database.command({ ping: 1 })
  if (MODE === 'raw') {
    const documents = await page(params, { raw: true })
    return reply.type('application/octet-stream').send(Buffer.concat(documents as unknown as Buffer[]))
  }
  const documents = await page(params)
  const items = documents.slice(0, 20).map(toNotification)
  const nextCursor = documents.length > 20 ? items.at(-1)?.id : null
  return reply.type('application/json').send(JSON.stringify({ data: { notifications: items, nextCursor } }))
})

app.patch<{ Params: Params }>('/:subscriber/:user/:id', async ({ params: { subscriber, user, id } }) => {
  const at = new Date()
  await notifications.findOneAndUpdate(
    { _id: keyOf(subscriber, user, id) },
    { $set: { unread: true, readStateAt: at }, $unset: { readAt: true, bulkMark: true } },
    { returnDocument: 'after' },
  )
  return { ok: true }
})

console.log(`listening at ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
