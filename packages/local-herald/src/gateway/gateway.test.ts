import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { startGateway } from './gateway.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function startUpstream(handler: Handler, port = 0) {
  const server = createServer(handler).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  stops.push(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

/** A service that responds with its name and the request. */
const echo =
  (name: string): Handler =>
  async (request, response) => {
    const { method, url, headers, rawHeaders } = request
    response.end(JSON.stringify({ name, method, url, headers, rawHeaders, body: await text(request) }))
  }

async function startBehindGateway({
  ingest = echo('ingest'),
  query = echo('query'),
  respondWithinMs = 5_000,
  mounts = {} as Record<string, Handler>,
  corsOrigins = [] as string[],
} = {}) {
  const upstreams = { ingest: await startUpstream(ingest), query: await startUpstream(query) }
  const gateway = await startGateway({
    ingestUrl: upstreams.ingest.url,
    queryUrl: upstreams.query.url,
    respondWithinMs,
    mounts,
    corsOrigins,
  })
  stops.push(gateway.stop)
  return { ...gateway, upstreams }
}

test.each([
  ['POST', '/', 'ingest'],
  ['POST', '/?a=%20b&a=c', 'ingest'],
  ['GET', '/', 'query'],
  ['PATCH', '/', 'query'],
  ['POST', '/notifications/read', 'query'],
  ['PATCH', '/notifications/1/unread', 'query'],
  ['DELETE', '/notifications/1?a=b', 'ingest'],
  ['DELETE', '/notifications', 'query'],
  ['DELETE', '/change-entries/all', 'query'],
  ['DELETE', '/mutes/actor/1', 'query'],
  ['PUT', '/mutes/actor/1', 'query'],
  ['GET', '/schemas/captured-changes.json', 'query'],
  ['PROPFIND', '/', 'query'],
  ['OPTIONS', '/x', 'query'],
])('routes %s %s to %s', async (method, path, name) => {
  const { url } = await startBehindGateway()
  const answer = await fetch(url + path, { method })
  expect(await answer.json()).toMatchObject({ name, method, url: path, body: '' })
})

test.each(['application/json', 'text/plain; charset=utf-8', 'nonsense', ''])(
  'forwards a body of content type "%s" and the headers unchanged',
  async (type) => {
    const { url } = await startBehindGateway()
    const headers = {
      authorization: 'Bearer a.b.c',
      'idempotency-key': 'one',
      'x-request-id': 'two',
      'content-type': type,
      host: 'herald.example',
    }
    const asked = request(url, { method: 'POST', headers })
    asked.end('{ "not": json, "__proto__": 1')
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const seen = JSON.parse(await text(response))
    expect(seen.body).toBe('{ "not": json, "__proto__": 1')
    expect(seen.headers).toMatchObject(headers)
  },
)

test('forwards a chunked body after 100-continue', async () => {
  const { url } = await startBehindGateway()
  const asked = request(url, { method: 'POST', headers: { expect: '100-continue' } })
  asked.flushHeaders()
  await once(asked, 'continue')
  asked.write('first, ')
  asked.end('second')
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  expect(JSON.parse(await text(response)).body).toBe('first, second')
})

test.each([300_000, 5_000_000])(
  'forwards the response of a service that rejects a body of %i bytes unread',
  async (bytes) => {
    const { url } = await startBehindGateway({
      ingest: (_request, response) => {
        response.writeHead(413, { connection: 'close' }).end('too large')
      },
    })
    for (let time = 0; time < 10; time += 1) {
      const response = await fetch(url, { method: 'POST', body: 'x'.repeat(bytes) })
      expect([response.status, await response.text()]).toEqual([413, 'too large'])
    }
  },
)

test('returns 413 for a body larger than any service accepts', async () => {
  const { url } = await startBehindGateway()
  const response = await fetch(url, { method: 'POST', body: 'x'.repeat(20_000_000) })
  expect(await response.json()).toMatchObject({ status: 413, code: 'body_too_large' })
})

test('drops the body of a GET', async () => {
  const { url } = await startBehindGateway()
  const asked = request(url, { headers: { 'content-length': 2 } })
  asked.end('{}')
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  expect(JSON.parse(await text(response))).toMatchObject({ name: 'query', body: '' })
})

test('forwards a stream unbuffered and closes it upstream when the client leaves', async () => {
  let answering: ServerResponse | undefined
  const { url } = await startBehindGateway({
    query: (_request, response) => {
      answering = response
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    },
  })
  const leaving = new AbortController()
  const response = await fetch(`${url}/notifications/stream`, { signal: leaving.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('data: 1\n\n')
  answering?.write('data: 2\n\n')
  expect((await reader?.read())?.value).toBe('data: 2\n\n')
  const closed = once(answering as ServerResponse, 'close')
  leaving.abort()
  await closed
})

test.each([{}, { 'content-length': '100' }])('aborts the response when the service does (%j)', async (headers) => {
  const { url } = await startBehindGateway({
    query: (_request, response) => {
      response.writeHead(200, headers)
      response.write('{"data":[', () => response.destroy())
    },
  })
  const response = await fetch(`${url}/change-entries/all`)
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow('terminated')
})

test('forwards a 503 with Retry-After without retrying', async () => {
  let asked = 0
  const { url } = await startBehindGateway({
    query: (_request, response) => {
      asked += 1
      response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/problem+json' }).end('{}')
    },
  })
  const response = await fetch(url)
  expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([503, '1', '{}'])
  expect(asked).toBe(1)
})

test('returns 502 while a service is down and recovers when it is back', async () => {
  const { url, upstreams } = await startBehindGateway()
  await (await fetch(url)).text()
  await upstreams.query.stop()
  const response = await fetch(url, { headers: { 'x-request-id': 'three' } })
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(await response.json()).toEqual({
    type: 'urn:herald:problem:bad_gateway',
    title: 'Bad gateway',
    status: 502,
    detail: 'The service is unavailable',
    instance: 'three',
    code: 'bad_gateway',
  })
  await startUpstream(echo('query'), Number(new URL(upstreams.query.url).port))
  expect((await fetch(url)).status).toBe(200)
})

test('adds CORS headers to a 502 for known origins only', async () => {
  const { url, upstreams } = await startBehindGateway({ corsOrigins: ['https://app.example'] })
  await upstreams.query.stop()
  const ask = async (method: string, origin: string, headers = {}) => {
    const answer = await fetch(url, { method, headers: { origin, ...headers } })
    const seen = Object.fromEntries([...answer.headers].filter(([name]) => /^(access-control|vary)/.test(name)))
    return { status: answer.status, ...seen }
  }
  const preflight = {
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization,x-request-id',
  }
  const allowed = {
    vary: 'Origin',
    'access-control-allow-origin': 'https://app.example',
    'access-control-expose-headers': expect.stringContaining('retry-after, x-request-id'),
  }
  expect(await ask('OPTIONS', 'https://app.example', preflight)).toEqual({
    status: 204,
    ...allowed,
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'authorization,x-request-id',
    'access-control-max-age': '7200',
  })
  expect(await ask('GET', 'https://app.example')).toEqual({ status: 502, ...allowed })
  expect(await ask('OPTIONS', 'https://other.example', preflight)).toEqual({ status: 502, vary: 'Origin' })
  expect(await ask('GET', 'https://other.example')).toEqual({ status: 502, vary: 'Origin' })
})

test('returns 504 when a service does not respond in time', async () => {
  const { url } = await startBehindGateway({ query: () => {}, respondWithinMs: 50 })
  const response = await fetch(url)
  expect(await response.json()).toMatchObject({ status: 504, code: 'gateway_timeout' })
})

test.each(['/%zz', '/a/../../b'])('returns a problem document for %s, which cannot be forwarded', async (path) => {
  const { url } = await startBehindGateway()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  expect(answer).toMatch(/content-type: application\/problem\+json/)
  expect(answer).toContain('"code":"invalid_request"')
})

test.each([
  [
    'header fields of 20,000 bytes',
    `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  ['invalid HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
])('returns a problem document for %s', async (_, request, status, code) => {
  const { url } = await startBehindGateway()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(request)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toMatch(/content-type: application\/problem\+json/)
  expect(JSON.parse(body)).toMatchObject({ status, code, instance: expect.stringMatching(/./) })
})

test('passes requests below a mount to its handler with the body unread', async () => {
  const { url: base } = await startBehindGateway({ mounts: { '/demo': echo('demo') } })
  const answers = await Promise.all(
    ['/demo/mentions', '/demo?a=b', '/demolition'].map(async (path) => {
      const response = await fetch(base + path, { method: 'POST', body: 'sent' })
      const { name, url, body } = (await response.json()) as Record<string, string>
      return { name, url, body }
    }),
  )
  expect(answers).toEqual([
    { name: 'demo', url: '/demo/mentions', body: 'sent' },
    { name: 'demo', url: '/demo?a=b', body: 'sent' },
    { name: 'query', url: '/demolition', body: 'sent' },
  ])
})
