import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { databaseOfRun } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary, type CommandStartedEvent, type Filter, MongoClient } from 'mongodb'
import { findBytes } from './find-bytes.ts'

type Thing = { _id: Binary; group: number; text: string }

const uri = process.env.MONGODB_URI ?? ''
const client = new MongoClient(uri, { monitorCommands: true })
const database = client.db(databaseOfRun())
const collection = database.collection<Thing>(`find-bytes-${randomUUID()}`)
const keyOf = (n: number) => {
  const key = Buffer.alloc(16)
  key.writeUInt32BE(n)
  return new Binary(key)
}
const from = (n: number): Filter<Thing> => ({ _id: { $gte: keyOf(n) } })

beforeAll(async () => {
  await database.createCollection(collection.collectionName, { clusteredIndex: { key: { _id: 1 }, unique: true } })
  const things = Array.from({ length: 300 }, (_, n) => ({
    _id: keyOf(n),
    group: n % 3,
    text: `${n} é €`.repeat(n % 7),
  }))
  await collection.insertMany([...things, ...[0, 1].map((n) => ({ _id: keyOf(1_000_000 + n), group: 9, text: 'x' }))])
  await collection.insertMany(
    Array.from({ length: 40 }, (_, n) => ({ _id: keyOf(2_000_000 + n), group: 5, text: 'x'.repeat(1_000_000) })),
  )
})
afterAll(async () => {
  await collection.drop()
  await client.close()
})

/** The names of the commands that `work` sent. */
async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = []
  const note = ({ commandName }: CommandStartedEvent) => void names.push(commandName)
  client.on('commandStarted', note)
  await work()
  client.off('commandStarted', note)
  return names
}

test.each([
  ['all of a range', { ...from(0), group: 1 }, 101],
  ['many', { ...from(0), group: { $lt: 3 } }, 1_000],
  ['the newest of it', { ...from(0), group: 1 }, 20],
  ['as many as there are', { ...from(1_000_000), group: 9 }, 2],
  ['none', { ...from(3_000_000) }, 20],
] as const)('%s: returns the same bytes as the driver, with one command', async (_, indexed, size) => {
  const expected = await collection.find(indexed, { raw: true }).sort({ _id: -1 }).limit(size).toArray()
  let found: Buffer[] = []
  const commands = await commandsOf(async () => {
    found = (await findBytes(collection, indexed, size)).documents
  })
  expect(found.map((bytes) => bytes.toString('hex'))).toEqual(
    (expected as unknown as Buffer[]).map((bytes) => Buffer.from(bytes).toString('hex')),
  )
  expect(commands).toEqual(['find'])
  expect(found.length).toBe(Math.min(expected.length, size))
})

test.each([40, 400])(
  'of %s documents, returns as many as fit into one response, and leaves no cursor open',
  async (size) => {
    const { documents, isCut } = await findBytes(collection, { ...from(2_000_000), group: 5 }, size)
    expect([documents.length, isCut]).toEqual([16, true])
    const [newest] = documents
    expect(newest?.includes(keyOf(2_000_039).toString('hex'), 0, 'hex')).toBe(true)
    const cursors = await client
      .db('admin')
      .aggregate([{ $currentOp: { idleCursors: true } }, { $match: { ns: collection.namespace } }])
      .toArray()
    expect(cursors).toEqual([])
  },
)

test('sequential reads share one session', async () => {
  const sessions = new Set<string>()
  const note = ({ command }: CommandStartedEvent) => void sessions.add(JSON.stringify(command.lsid))
  client.on('commandStarted', note)
  for (let n = 0; n < 5; n++) await findBytes(collection, from(0), 5)
  client.off('commandStarted', note)
  expect(sessions.size).toBe(1)
})

test.each([5, 300])('retries a read of %s when the connection is lost during the command', async (size) => {
  const target = client.options.hosts[0] as { host: string; port: number }
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    const upstream = connect(target.port, target.host)
    for (const one of [socket, upstream]) sockets.add(one.on('error', () => {}))
    socket.on('data', (data: Buffer) => {
      if (data.includes('find-bytes-') && requests++ === 0) socket.resetAndDestroy()
      else upstream.write(data)
    })
    upstream.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const other = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`)
  try {
    const through = other.db(database.databaseName).collection<Thing>(collection.collectionName)
    const plain = { ...from(0), group: { $lt: 3 } }
    const found = await findBytes(through, plain, size)
    const expected = await findBytes(collection, plain, size)
    expect(found.documents).toHaveLength(size)
    expect(found.documents.every((bytes, n) => bytes.equals(expected.documents[n] as Buffer))).toBe(true)
    expect(requests).toBe(2)
  } finally {
    await other.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

test('does not retry when no server is available', async () => {
  const unreachable = new MongoClient('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 300 })
  let selections = 0
  unreachable.on('serverSelectionStarted', () => void selections++)
  const source = unreachable.db(randomUUID()).collection<Thing>('things')
  const pending = findBytes(source, from(0), 5)
  await expect(pending).rejects.toThrow('ECONNREFUSED')
  expect(selections).toBeLessThan(3)
  await unreachable.close()
})
