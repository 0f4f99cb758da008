import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { databaseOfRun } from '@herald/test-servers'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { BSON, Long, type MongoClientOptions, MongoServerError, ObjectId } from 'mongodb'
import { createLastingClient } from './lasting-client.ts'
import { checkDriverVersion, patchDriver } from './patched-driver.ts'

const target = new URL((process.env.MONGODB_URI ?? '').replace(/,[^/]*/, ''))
const sockets = new Set<Socket>()
let isFrozen: boolean
let server: Server
let uri: string

/** Forwards connections to MongoDB, until it freezes: then connections stay open and nothing is read from them. */
beforeEach(async () => {
  isFrozen = false
  server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const one of [socket, upstream]) sockets.add(one.on('error', () => {}))
    upstream.pipe(socket)
    socket.on('data', (bytes) => {
      if (isFrozen) socket.pause()
      else upstream.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  uri = `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** More than the buffers of both sockets, so that the driver waits until the server reads. */
const large = Array.from({ length: 1_000 }, () => ({ bytes: crypto.getRandomValues(new Uint8Array(15_000)) }))

async function insertIntoFrozen(options: MongoClientOptions & { readonly socketTimeoutMS: number }): Promise<void> {
  const limits = { connectTimeoutMS: 2_000, serverSelectionTimeoutMS: 10_000, waitQueueTimeoutMS: 10_000 }
  const { client, close } = createLastingClient(uri, { retryWrites: false, ...limits, ...options })
  try {
    const collection = client.db(databaseOfRun()).collection(`patched-driver-${randomUUID()}`)
    await collection.findOne()
    isFrozen = true
    await collection.insertMany(large)
  } finally {
    await close()
  }
}

test('a write on a connection that was closed while the driver was busy fails', async () => {
  patchDriver()
  const { prototype } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js').Connection
  const closed = Object.create(prototype, { closed: { value: true }, error: { value: new Error('closed before') } })
  await expect(prototype.writeCommand.call(closed, {}, {})).rejects.toThrow('closed before')
})

test('the version of the topology in an error of a raw command is decoded, so that the next error can be compared with it', () => {
  patchDriver()
  const { prototype } = createRequire(import.meta.url)('mongodb/lib/sdam/server.js').Server
  const topologyVersion = { processId: new ObjectId(), counter: Long.fromNumber(3) }
  const error = new MongoServerError({ ok: 0, topologyVersion: BSON.serialize(topologyVersion) })
  // Older than what the driver knows, so that it is ignored.
  const known = { ...topologyVersion, counter: Long.fromNumber(5) }
  prototype.handleError.call({ description: { topologyVersion: known }, pool: { generation: 0 } }, error)
  expect(error).toMatchObject({ topologyVersion: { ...topologyVersion, counter: 3 } })
})

test('a large write to a frozen MongoDB fails with the socket timeout', () =>
  expect(insertIntoFrozen({ socketTimeoutMS: 500 })).rejects.toThrow('timed out'))

test('a write whose connection is closed while it is compressed fails', () =>
  expect(insertIntoFrozen({ socketTimeoutMS: 20, compressors: ['zlib'], zlibCompressionLevel: 9 })).rejects.toThrow(
    'timed out',
  ))

test('a large write fails when the monitor gives up on a frozen MongoDB', () =>
  expect(insertIntoFrozen({ socketTimeoutMS: 0, heartbeatFrequencyMS: 500 })).rejects.toThrow('monitor timeout'))

test('refuses another version of the driver', () => {
  expect(() => checkDriverVersion('7.10.0')).toThrow('Requires version 7.9.0 of the MongoDB driver, found 7.10.0')
})
