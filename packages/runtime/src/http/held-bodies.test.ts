import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createBudget } from '../shares/budget.ts'
import { createTestServer, jsonHeaders, readProblem } from './http-server.fixture.ts'

const bodies = createBudget({ sum: 4_000, perSubscriber: 3_000, perUser: 3_000 })
let server: ReturnType<typeof createTestServer>
afterEach(() => server.app.close())

async function start(): Promise<number> {
  server = createTestServer({ bodies, drainMs: 50 })
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  return (server.app.server.address() as AddressInfo).port
}

const thing = (bytes: number) => {
  const payload = { name: '', size: 1 }
  return JSON.stringify({ ...payload, name: 'x'.repeat(bytes - JSON.stringify(payload).length) })
}
const post = (bytes: number) =>
  server.app.inject({ method: 'POST', url: '/things/read', headers: jsonHeaders, payload: thing(bytes) })

/** Sends all but the last bytes of a body. */
async function stall(port: number, bytes: number, missing = 1): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const fields = Object.entries({ ...jsonHeaders, host: 'x', 'content-length': bytes })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`POST /things/read HTTP/1.1\r\n${head}\r\n${thing(bytes).slice(0, -missing)}`)
  const before = bodies.held()
  while (bodies.held() < before + bytes - missing) await new Promise(setImmediate)
  return socket
}

test('bytes of bodies that do not end count towards the share of their user', async () => {
  const port = await start()
  const sockets = [await stall(port, 900), await stall(port, 900)]
  const refused = await post(1_300)
  expect(readProblem(refused)).toMatchObject({ statusCode: 429, code: 'rate_limited' })
  expect(refused.headers['retry-after']).toBe('5')
  expect((await post(100)).statusCode).toBe(200)
  for (const socket of sockets) socket.write('}')
  for (const socket of sockets) await once(socket, 'data')
  while (bodies.held() > 0) await new Promise(setImmediate)
  expect((await post(300)).statusCode).toBe(200)
  for (const socket of sockets) socket.destroy()
})

test('a client that disconnects releases its bytes', async () => {
  const socket = await stall(await start(), 1_500)
  socket.destroy()
  while (bodies.held() > 0) await new Promise(setImmediate)
})

test('a piece of a body counts as more than its few bytes', async () => {
  const socket = await stall(await start(), 900, 2)
  socket.write(' ')
  while (bodies.held() < 898 + 512) await new Promise(setImmediate)
  socket.destroy()
  while (bodies.held() > 0) await new Promise(setImmediate)
})

test('a full process responds with 503', async () => {
  await start()
  for (const [id, bytes] of [
    ['a', 2_000],
    ['b', 1_500],
    ['c', 500],
  ] as const) {
    bodies.take({ subscriberId: id, userId: id }, bytes)
  }
  const refused = await post(300)
  expect(readProblem(refused)).toMatchObject({ statusCode: 503, code: 'overloaded' })
  expect(refused.headers['retry-after']).toBe('5')
})
