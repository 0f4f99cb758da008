import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createBudget } from '../shares/budget.ts'
import { createTestServer } from './http-server.fixture.ts'

// Behaviour on the wire, which `inject` does not cover.
let server: ReturnType<typeof createTestServer>
let port: number

beforeEach(async () => {
  server = createTestServer({ drainMs: 200 })
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  port = (server.app.server.address() as AddressInfo).port
})
afterEach(() => server.app.close())

/** Sends bytes and returns everything received until the server closes the connection. */
async function exchange(...parts: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  for (const part of parts) socket.write(part)
  return text(socket)
}

const closing = 'Host: x\r\nConnection: close\r\n'

describe('input that is not HTTP', () => {
  test.each([
    ['garbage', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    [
      'a header field of 20 KiB',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${closing}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      'invalid_request',
    ],
  ])('gets a problem document: %s', async (_name, bytes, status, code) => {
    const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toContain('content-type: application/problem+json; charset=utf-8')
    const id = /x-request-id: (\S+)/.exec(head)?.[1]
    expect(JSON.parse(body)).toMatchObject({ status, code, instance: id })
  })

  test('is not written to the log', async () => {
    await exchange('GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abcdefghijk\r\nbad header\r\n\r\n')
    expect(server.lines).toContainEqual(expect.objectContaining({ msg: 'Could not parse a request' }))
    expect(JSON.stringify(server.lines)).not.toContain('abcdefghijk')
  })
})

test('passes both of two Authorization headers to the authenticator', async () => {
  const seen: (readonly string[])[] = []
  const { app } = createTestServer({
    authenticator: {
      authenticate: async (values) => {
        seen.push(values)
        return { ok: false, reason: 'invalid', detail: 'No' }
      },
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  await exchange(`GET / HTTP/1.1\r\n${closing}Authorization: Bearer good\r\nAuthorization: Bearer bad\r\n\r\n`)
  expect(seen).toEqual([['Bearer good', 'Bearer bad']])
  await app.close()
})

test.each([
  ['with a length', { 'content-length': '1000000' }],
  ['in chunks', {}],
])('returns 413 without breaking the connection for a body sent %s that is too large', async (_name, headers) => {
  const body = (async function* () {
    for (let part = 0; part < 10; part++) yield Buffer.alloc(100_000, 'a')
  })()
  const response = await fetch(`http://127.0.0.1:${port}/things/read`, {
    method: 'POST',
    headers: { ...headers, authorization: 'Bearer good', 'content-type': 'application/json' },
    body,
    duplex: 'half',
  })
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'body_too_large'])
})

describe('a client that writes everything before it reads', () => {
  const fields = 'Authorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n'

  async function write(length: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    const head = Buffer.from(`POST /things/read HTTP/1.1\r\nHost: x\r\n${fields}\r\n`)
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.write(Buffer.concat([head, Buffer.alloc(length, 'a')]), (error) => (error ? reject(error) : resolve()))
    })
    return socket
  }

  test('is not disconnected when its body is a few times too large', async () => {
    const socket = await write(4_000_000)
    socket.destroy()
  })

  test('gets 413 when its body is far too large', async () => {
    expect(await text(await write(16 * 262_144 + 1))).toContain('HTTP/1.1 413')
  })
})

test.each([
  ['with a length', 'Content-Length: 200000'],
  ['in chunks', 'Transfer-Encoding: chunked'],
])('holds nothing of a body that was sent %s with a GET', async (_name, field) => {
  const { app } = createTestServer()
  let request: IncomingMessage | undefined
  let respond = (_: object) => {}
  app.get('/held', { config: { public: true } }, async ({ raw }) => {
    request = raw
    return new Promise<object>((resolve) => {
      respond = resolve
    })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  const body = 'a'.repeat(200_000)
  const sent = field.endsWith('chunked') ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body
  const received = exchange(`GET /held HTTP/1.1\r\n${closing}${field}\r\n\r\n`, sent)
  while (request?.complete !== true && (request?.readableLength ?? 0) === 0) await nextTurn()
  expect([request?.complete, request?.readableLength]).toEqual([true, 0])
  respond({ data: 1 })
  expect(await received).toContain('HTTP/1.1 200')
  await app.close()
})

test('closes the connection if the body of a GET does not come after the response', async () => {
  const fields = 'Host: x\r\nContent-Length: 10\r\n\r\n{'
  expect(await exchange(`GET /public HTTP/1.1\r\n${fields}`)).toMatch(/^HTTP\/1.1 200 .*{"data":"public"}$/s)
})

test('keeps the connection open if the body of a GET comes after the response', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /public HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{')
  await once(socket, 'data')
  socket.write(`}GET /public HTTP/1.1\r\n${closing}\r\n`)
  expect(await text(socket)).toContain('HTTP/1.1 200')
})

const bearer = (length: number) => `Authorization: Bearer ${'a'.repeat(length)}`

test('accepts a token of 8 KiB beside the longest cursor and other fields, and no head above 16 KiB', async () => {
  const head = `GET /public?cursor=${'a'.repeat(4_096)} HTTP/1.1\r\n${closing}Cookie: ${'a'.repeat(3_000)}\r\n`
  expect(await exchange(`${head}${bearer(8_192)}\r\n\r\n`)).toContain('HTTP/1.1 200')
  expect(await exchange(`${head}${bearer(9_500)}\r\n\r\n`)).toContain('HTTP/1.1 431')
})

test('disconnects a client that sends five requests without waiting for a response', async () => {
  const { app } = createTestServer()
  app.get('/held', { config: { public: true } }, () => new Promise<object>(() => {}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  const request = 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n'
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(request.repeat(4))
  await expect(Promise.race([once(socket, 'close'), wait(300, 'open')])).resolves.toBe('open')
  socket.write(request)
  await once(socket, 'close')
  await app.close()
})

test('keeps the connection open after an invalid body', async () => {
  const post = `POST /things/read HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{`
  const responses = await exchange(post, `GET /public HTTP/1.1\r\n${closing}\r\n`)
  expect(responses.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
})

test.each([
  ['head', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  [
    'body',
    `POST /things/read HTTP/1.1\r\nHost: x\r\n${'Authorization: Bearer good\r\n'}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  ],
])('returns 408 when the %s of a request does not arrive in time', async (_name, bytes) => {
  const { app } = createTestServer({ requestTimeoutMs: 100 })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1.1 408 Request Timeout\r\ncontent-type: application\/problem\+json/)
  expect(JSON.parse(body)).toMatchObject({ status: 408, code: 'request_timeout' })
  await app.close()
})

test('sends 304 without a body and keeps the connection open', async () => {
  const { app } = createTestServer()
  app.get('/tagged', { config: { public: true, etag: true } }, async () => ({ data: 1 }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  const known = 'Host: x\r\nIf-None-Match: *\r\n\r\n'
  const responses = await exchange(
    `GET /tagged HTTP/1.1\r\n${known}`,
    `HEAD /tagged HTTP/1.1\r\n${known}`,
    `GET /public HTTP/1.1\r\n${closing}\r\n`,
  )
  expect(responses.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 304', 'HTTP/1.1 304', 'HTTP/1.1 200'])
  expect(responses).not.toContain('{"data":1}')
  expect(responses).not.toMatch(/content-length: 0/i)
  await app.close()
})

describe('requests sent before the response to the first one', () => {
  const endless = 'GET /endless HTTP/1.1\r\nHost: x\r\n\r\n'
  const bodies = createBudget({ sum: 4_000, perSubscriber: 4_000, perUser: 4_000 })

  /** Sends the requests behind a response without an end. */
  async function sendBehind(...requests: readonly string[]) {
    const { app } = createTestServer({ bodies })
    app.get('/endless', { config: { public: true } }, async (_request, reply) => {
      reply.hijack()
      reply.raw.write('first')
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {})
    let received = 0
    app.server.on('request', () => received++)
    socket.write(endless)
    await once(socket, 'data')
    socket.write(requests.join(''))
    return { app, socket, received: () => received }
  }

  test('get their responses in order', async () => {
    const responses = await exchange(
      'GET /public HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2),
      'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n',
      `GET /public HTTP/1.1\r\n${closing}\r\n`,
    )
    expect(responses.match(/HTTP\/1.1 \d+/g)).toEqual([200, 200, 400, 200].map((status) => `HTTP/1.1 ${status}`))
  })

  test('leave nothing behind if the client disconnects', async () => {
    const head = 'POST /things/read HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n'
    const { app, socket, received } = await sendBehind(
      `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n${' '.repeat(1_000)}`,
    )
    while (received() < 2) await new Promise(setImmediate)
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    socket.destroy()
    await app.close()
    expect(bodies.held()).toBe(0)
  })

  test('end the connection if there are very many', async () => {
    const { app, socket } = await sendBehind('GET /public HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(11))
    await once(socket, 'close')
    await app.close()
  })
})

test('logs an aborted upload once, and not as an error', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write('POST /things/read HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n')
  socket.write('Content-Type: application/json\r\nContent-Length: 100\r\nX-Request-Id: broken\r\n\r\n{')
  await once(server.app.server, 'request')
  socket.destroy()
  await expectLine((line) => line.requestId === 'broken' && line.brokenOff === true)
  expect(server.lines.filter(({ level }) => level === 'error')).toEqual([])
})

describe('closing', () => {
  test('finishes requests in progress and accepts no new connections', async () => {
    let finish = () => {}
    const { app } = createTestServer()
    app.get('/slow', { config: { public: true } }, () => {
      return new Promise((resolve) => {
        finish = () => resolve({ data: 'slow' })
      })
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    port = (app.server.address() as AddressInfo).port
    const socket = connect(port, '127.0.0.1')
    const received = text(socket)
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(app.server, 'request')
    const closed = app.close()
    await new Promise(setImmediate)
    socket.write('GET /public HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(app.server, 'request')
    finish()
    const [slow = '', other = ''] = (await received).split('{"data":"slow"}')
    expect(slow).toContain('HTTP/1.1 200')
    expect(other).toMatch(/^HTTP\/1.1 200 .*connection: close.*{"data":"public"}$/is)
    await closed
    await expect(fetch(`http://127.0.0.1:${port}/public`)).rejects.toThrow()
  })

  test('does not wait for an endless response', async () => {
    const { app } = createTestServer({ drainMs: 50 })
    app.get('/endless', { config: { public: true } }, async (_request, reply) => {
      reply.hijack()
      reply.raw.write('first')
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    port = (app.server.address() as AddressInfo).port
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    await app.close()
    expect(app.server.listening).toBe(false)
  })
})

/** Waits for a log line; bounded by the timeout of the test. */
async function expectLine(fits: (line: Readonly<Record<string, unknown>>) => boolean): Promise<void> {
  while (!server.lines.some(fits)) await new Promise((resolve) => setTimeout(resolve, 5))
}
