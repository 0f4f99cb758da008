import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { databaseOfRun } from '@herald/test-servers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Collection } from 'mongodb'
import { createTestClock } from './clock.fixture.ts'
import { createFence } from './fence.ts'
import { createLastingClient } from './lasting-client.ts'

const target = new URL((process.env.MONGODB_URI ?? '').replace(/,[^/]*/, ''))
let connections: ReturnType<typeof createLastingClient>
let things: Collection
/** Called when an insert is lost; none is lost without it. */
let onLost: (() => void) | undefined

/** Forwards connections to MongoDB. An insert may be lost, with its connection. */
const proxy = createServer((socket) => {
  const upstream = connect(Number(target.port), target.hostname)
  for (const one of [socket, upstream]) one.on('error', () => {})
  upstream.pipe(socket)
  socket.on('close', () => upstream.destroy())
  socket.on('data', (bytes) => {
    if (!onLost || !bytes.includes('insert')) return upstream.write(bytes)
    onLost()
    onLost = undefined
    return socket.destroy()
  })
}).listen(0, '127.0.0.1')

beforeAll(async () => {
  await once(proxy, 'listening')
  const uri = `mongodb://127.0.0.1:${(proxy.address() as AddressInfo).port}/?directConnection=true`
  const limits = { connectTimeoutMS: 2_000, serverSelectionTimeoutMS: 8_000, waitQueueTimeoutMS: 8_000 }
  connections = createLastingClient(uri, { ...limits, socketTimeoutMS: 8_000, retryWrites: true })
  things = connections.client.db(databaseOfRun()).collection(`fence-${randomUUID()}`)
})
beforeEach(async () => void (await things.deleteMany({})))
afterAll(async () => {
  await things.drop()
  await connections.close()
  proxy.close()
})

const pair = () => [{}, {}]

test('the driver sends an insert again while the fence lasts', async () => {
  const { clock, pass } = createTestClock()
  onLost = () => pass(100)
  await createFence(100, clock)(() => things.insertMany(pair(), { ordered: false }))
  expect(onLost).toBeUndefined()
  expect(await things.countDocuments()).toBe(2)
})

test('and not afterwards', async () => {
  const { clock, pass } = createTestClock()
  onLost = () => pass(101)
  const insert = createFence(100, clock)(() => things.insertMany(pair(), { ordered: false }))
  await expect(insert).rejects.toThrow('What was read more than 100 ms ago is not written any more')
  expect(await things.countDocuments()).toBe(0)
})

test('inserts without the fence, and other commands, are sent', async () => {
  const fence = createFence(-1)
  await expect(fence(() => things.insertOne({}))).rejects.toThrow()
  await Promise.all([things.insertOne({}), fence(() => things.findOne())])
  expect(await things.countDocuments()).toBe(1)
})
