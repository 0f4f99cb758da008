import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { until } from '@herald/jest-preset/until'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createBudget } from '../shares/budget.ts'
import { createTestServer, identity } from './http-server.fixture.ts'

const bytes = 20_000_000
let server: ReturnType<typeof createTestServer>
afterEach(() => server.app.close())

async function start(overrides: Parameters<typeof createTestServer>[0]): Promise<number> {
  server = createTestServer({ drainMs: 50, ...overrides })
  const shared = Buffer.alloc(bytes)
  server.app.get('/large', {}, async (_request, reply) => reply.send(Buffer.alloc(bytes)))
  server.app.post('/large', {}, async (_request, reply) => reply.code(201).send(Buffer.alloc(bytes)))
  server.app.get('/shared', { config: { public: true } }, async (_request, reply) => reply.send(shared))
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  return (server.app.server.address() as AddressInfo).port
}

/** Sends a request, and reads nothing of the response. */
function askWithoutReading(port: number, path = '/large'): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n`)
  return socket
}

const openConnections = () => new Promise<number>((resolve) => server.app.server.getConnections((_, n) => resolve(n)))

test.each(['/large', '/shared'])('a response of %s that makes no progress is cut', async (path) => {
  const socket = askWithoutReading(await start({ stallMs: 600 }), path)
  await once(server.app.server, 'request')
  await until(async () => (await openConnections()) === 0)
  socket.destroy()
})

/** Reads about 10 MB a second. @returns the number of bytes received before the end */
async function readSlowly(socket: Socket): Promise<number> {
  let received = 0
  socket.on('data', (piece) => {
    received += piece.length
    socket.pause()
    setTimeout(() => socket.resume(), 5)
    if (received >= bytes) socket.destroy()
  })
  socket.resume()
  await once(socket, 'close')
  return received
}

test('a response whose reader takes less than the least rate is cut', async () => {
  const socket = askWithoutReading(await start({ stallMs: 600, leastRate: 200_000_000 }))
  expect(await readSlowly(socket)).toBeLessThan(bytes)
})

describe('a response that outlasts its token', () => {
  const expiresAt = () => new Date(Date.now() + 100)
  const authenticator = {
    authenticate: async () => ({ ok: true, identity: { ...identity, expiresAt: expiresAt() } }) as const,
  }

  test('goes on while a slow reader takes the least rate', async () => {
    expect(await readSlowly(askWithoutReading(await start({ stallMs: 2_400, authenticator })))).toBeGreaterThan(bytes)
  })

  test('is cut when its time is over', async () => {
    const port = await start({ stallMs: 2_400, afterExpiryMs: 200, authenticator })
    expect(await readSlowly(askWithoutReading(port))).toBeLessThan(bytes)
  })

  test('is cut when it is not read', async () => {
    askWithoutReading(await start({ stallMs: 600, authenticator }))
    await once(server.app.server, 'request')
    await until(async () => (await openConnections()) === 0)
  })
})

test('responses that wait for one user’s readers are bounded in bytes, and then refused', async () => {
  const port = await start({
    responses: createBudget({ sum: 4 * bytes, perSubscriber: 3 * bytes, perUser: 2 * bytes }),
  })
  const sockets = [askWithoutReading(port), askWithoutReading(port)]
  for (const _ of sockets) await once(server.app.server, 'request')
  const ask = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { authorization: 'Bearer good' } })
  const refused = await ask('/large')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
  expect((await (await ask('/shared')).arrayBuffer()).byteLength).toBe(bytes)
  expect((await ask('/')).status).toBe(200)
  // A request that was carried out is never reported as refused.
  expect((await ask('/large', 'POST')).status).toBe(201)
  for (const socket of sockets) socket.destroy()
  let status = 0
  for (let response = await ask('/large'); ; response = await ask('/large')) {
    status = response.status
    await response.arrayBuffer()
    if (status === 200) break
  }
})

test('connections beyond the bound are closed at once', async () => {
  const port = await start({ maxConnections: 1 })
  const first = connect(port, '127.0.0.1')
  await once(server.app.server, 'connection')
  const second = connect(port, '127.0.0.1')
  second.on('error', () => {})
  await once(second, 'close')
  first.destroy()
})

test('idle connections give way when all are taken', async () => {
  const port = await start({ maxConnections: 1 })
  const idle = connect(port, '127.0.0.1')
  idle.write('GET /public HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle, 'data')
  const closed = once(idle, 'close')
  expect((await fetch(`http://127.0.0.1:${port}/public`)).status).toBe(200)
  await closed
})
