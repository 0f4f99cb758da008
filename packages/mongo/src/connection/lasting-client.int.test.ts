import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { eventually } from '@herald/test-servers'
import { afterEach, expect, test } from '@jest/globals'
import { createLastingClient } from './lasting-client.ts'

const target = new URL((process.env.MONGODB_URI ?? '').replace(/,[^/]*/, ''))
const sockets = new Set<Socket>()
let server: Server | undefined
let lasting: ReturnType<typeof createLastingClient>

afterEach(async () => {
  await lasting.close()
  for (const socket of sockets) socket.destroy()
  server?.close()
})

/** Forwards connections on this port, by default a free one, to MongoDB. */
async function listen(port = 0): Promise<number> {
  server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const one of [socket, upstream]) sockets.add(one.on('error', () => {}))
    socket.pipe(upstream).pipe(socket)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const createClient = (uri: string) =>
  createLastingClient(uri, {
    connectTimeoutMS: 2_000,
    serverSelectionTimeoutMS: 2_000,
    socketTimeoutMS: 8_000,
    waitQueueTimeoutMS: 8_000,
  })
const ping = () => lasting.client.db().command({ ping: 1 })
const isReady = () =>
  ping().then(
    () => true,
    () => false,
  )

test('connects once MongoDB is available, even after failed operations', async () => {
  const port = await listen()
  server?.close()
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`
  lasting = createClient(uri)
  expect([await isReady(), await isReady()]).toEqual([false, false])
  await listen(port)
  await eventually(isReady, { description: 'the client connects' })
})

test('stays closed when it never connected', async () => {
  lasting = createClient('mongodb://127.0.0.1:1/')
  expect(await isReady()).toBe(false)
  await lasting.close()
  await expect(ping()).rejects.toThrow()
})
