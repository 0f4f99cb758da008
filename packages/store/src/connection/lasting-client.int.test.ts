import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { databaseOfRun, eventually } from '@herald/test-servers'
import { afterEach, expect, test } from '@jest/globals'
import { createStore, type Store } from '../store.ts'

const target = new URL((process.env.MONGODB_URI ?? '').replace(/,[^/]*/, ''))
const sockets = new Set<Socket>()
let server: Server | undefined
let store: Store

afterEach(async () => {
  await store.close()
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

const isReady = () =>
  store.checkReady().then(
    () => true,
    () => false,
  )

test('connects once MongoDB is available, even after failed operations', async () => {
  const port = await listen()
  server?.close()
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`
  store = createStore({ uri, database: databaseOfRun(), applicationName: 'test' })
  expect([await isReady(), await isReady()]).toEqual([false, false])
  await listen(port)
  await eventually(isReady, { description: 'the store connects' })
})

test('stays closed when it never connected', async () => {
  store = createStore({ uri: 'mongodb://127.0.0.1:1/', database: databaseOfRun(), applicationName: 'test' })
  expect(await isReady()).toBe(false)
  await store.close()
  await expect(store.checkReady()).rejects.toThrow()
})
