import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ChangeLog } from '@herald/change-log'
import { createHttpServer, createLogger, createMetrics, type HttpServer, type Identity } from '@herald/runtime'
import { eventually } from '@herald/test-servers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { exportBudget } from '../budgets.ts'
import { addChangeEntryRoutes } from './routes.ts'

const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`

const identity: Identity = {
  userId: uuid(1),
  subscriberId: uuid(2),
  name: '',
  picture: '',
  actorType: 'user',
  scopes: new Set(['change-entries:read']),
  expiresAt: new Date('2100-01-01T00:00:00Z'),
}

const entry = (n: number, afterState = 'null') => `{"entityId":"${n}","afterState":${afterState}}`

class Unavailable extends Error {}

let app: HttpServer
afterEach(() => app.close())

type Options = { method?: string; stallMs?: number; exports?: number }

/** Serves a log whose steps `all` yields, and requests it over a socket. */
async function request(
  all: () => AsyncIterable<string[]>,
  headers: Record<string, string> = {},
  { method = 'GET', stallMs = 60_000, exports = 1 }: Options = {},
): Promise<IncomingMessage> {
  const metrics = createMetrics()
  app = createHttpServer({
    logger: createLogger({ name: 'test', level: 'silent' }),
    authenticator: { authenticate: async () => ({ ok: true, identity }) },
    metrics,
    isStorageUnavailable: (error) => error instanceof Unavailable,
    drainMs: 100,
    stallMs,
  })
  const log: ChangeLog = {
    async *export(_, format) {
      let before = format === 'json' ? '{"data":[' : ''
      for await (const entries of all()) {
        yield Buffer.from(before + entries.join(','))
        before = ','
      }
      yield Buffer.from(format === 'json' ? ']}' : '')
    },
    list: () => Promise.reject(new Error('Unexpected request for a page')),
  }
  const budget = metrics.budgets.open(exportBudget, exports)
  const recordedLog = { of: () => ({ read: () => Promise.reject(new Error('Unexpected request for a page')) }) }
  addChangeEntryRoutes(app, { changeEntries: { of: () => log }, recordedLog, exports: budget })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return sendRequest({ method, headers })
}

async function sendRequest(
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<IncomingMessage> {
  const { port } = app.server.address() as AddressInfo
  const clientRequest = httpRequest({ ...options, port, path: '/change-entries/all', agent: false }).end()
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
  return answer
}

/** The received text, and how the response ended. */
async function receive(answer: IncomingMessage) {
  let text = ''
  let error: unknown
  try {
    for await (const bytes of answer) text += bytes
  } catch (thrown) {
    error = thrown
  }
  return { text, error, complete: answer.complete }
}

test('completes the response when the log has been read', async () => {
  const answer = await request(async function* () {
    yield [entry(3), entry(2)]
    yield [entry(1)]
  })
  const { text, error, complete } = await receive(answer)
  expect([error, complete]).toEqual([undefined, true])
  expect(JSON.parse(text).data).toHaveLength(3)
})

test.each([1, 2, 30])('aborts the response when the storage fails after %s steps', async (steps) => {
  const answer = await request(async function* () {
    for (let n = 0; n < steps; n++) yield [entry(n)]
    throw new Unavailable()
  })
  expect(answer.statusCode).toBe(200)
  const { text, error, complete } = await receive(answer)
  expect(complete).toBe(false)
  expect(error).toMatchObject({ code: 'ECONNRESET' })
  expect(() => JSON.parse(text)).toThrow()
  expect(text).not.toContain(']}')
})

test.each([{ accept: 'application/x-ndjson' }, { accept: 'text/csv' }, { 'accept-encoding': 'gzip' }])(
  'also aborts with %j, where an incomplete body looks valid',
  async (headers) => {
    const answer = await request(async function* () {
      for (let n = 0; n < 30; n++) yield [entry(n, JSON.stringify(randomBytes(30_000).toString('base64')))]
      throw new Unavailable()
    }, headers)
    expect(await receive(answer)).toMatchObject({ complete: false, error: { code: 'ECONNRESET' } })
  },
)

test('returns a readable problem for a failure before the compressor has written anything', async () => {
  const answer = await request(
    async function* () {
      yield [entry(1)]
      throw new Unavailable()
    },
    { 'accept-encoding': 'gzip' },
  )
  const { text } = await receive(answer)
  expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([503, undefined])
  expect(JSON.parse(text)).toMatchObject({ code: 'storage_unavailable' })
})

test('returns a problem when the storage fails before the first entry', async () => {
  // biome-ignore lint/correctness/useYield: it fails before the first yield.
  const answer = await request(async function* () {
    throw new Unavailable()
  })
  const { text, complete } = await receive(answer)
  expect([answer.statusCode, answer.headers['retry-after'], complete]).toEqual([503, '5', true])
  expect(JSON.parse(text)).toMatchObject({ code: 'storage_unavailable' })
})

test('stops reading when the client disconnects', async () => {
  let ended = () => {}
  const hasEnded = new Promise<void>((resolve) => {
    ended = resolve
  })
  const answer = await request(async function* () {
    try {
      for (let n = 0; ; n++) yield [entry(n, JSON.stringify('x'.repeat(100_000)))]
    } finally {
      ended()
    }
  })
  await once(answer, 'data')
  answer.destroy()
  await hasEnded
})

test('reads no further while the client does not read', async () => {
  let read = 0
  const answer = await request(async function* () {
    for (; read < 500; read++) yield [entry(read, JSON.stringify('x'.repeat(1_000_000)))]
  })
  answer.pause()
  for (let before = -1; read > before; await pause(500)) before = read
  // The buffers of both sockets hold some megabytes; the log has 500.
  expect(read).toBeLessThan(50)
  answer.destroy()
})

test('HEAD returns the headers without reading the log', async () => {
  let read = 0
  const all = async function* () {
    for (; read < 100; read++) yield [entry(read)]
  }
  const headers = { accept: 'text/csv', 'accept-encoding': 'gzip' }
  const answer = await request(all, headers, { method: 'HEAD' })
  expect(answer.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-encoding': 'gzip',
    vary: 'Accept, Accept-Encoding',
  })
  expect((await receive(answer)).complete).toBe(true)
  expect(read).toBe(0)
})

test('rejects exports beyond the limit until another one has ended', async () => {
  const gate = Promise.withResolvers<void>()
  const first = await request(async function* () {
    yield [entry(1)]
    await gate.promise
  })
  const refused = await sendRequest()
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
  expect(JSON.parse((await receive(refused)).text)).toMatchObject({ code: 'rate_limited' })
  expect((await sendRequest({ method: 'HEAD' })).statusCode).toBe(200)
  gate.resolve()
  await receive(first)
  await eventually(async () => (await sendRequest()).statusCode === 200)
})

describe('a reader that stops reading', () => {
  const stallMs = 300
  const large = () => JSON.stringify(randomBytes(750_000).toString('base64'))
  const openConnections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))

  test.each([{}, { 'accept-encoding': 'gzip' }, { accept: 'text/csv' }])(
    'is disconnected, with %j',
    async (headers) => {
      const ended = Promise.withResolvers<void>()
      const answer = await request(
        async function* () {
          try {
            for (let n = 0; ; n++) yield [entry(n, large())]
          } finally {
            ended.resolve()
          }
        },
        headers,
        { stallMs },
      )
      answer.on('error', () => {}).pause()
      await ended.promise
      await eventually(async () => (await openConnections()) === 0)
    },
  )

  test('is distinguished from a slow storage', async () => {
    const stalled = Promise.withResolvers<void>()
    let requests = 0
    const slow = await request(
      async function* () {
        if (requests++ > 0) for (let n = 0; ; n++) yield [entry(n, large())]
        yield [entry(2)]
        await stalled.promise
        yield [entry(1)]
      },
      {},
      { stallMs, exports: 20 },
    )
    // The storage answers only when a reader has been disconnected that has waited for less time.
    const unread = await sendRequest()
    expect(unread.statusCode).toBe(200)
    unread.on('error', () => {}).pause()
    await eventually(async () => (await openConnections()) === 1)
    stalled.resolve()
    expect(await receive(slow)).toMatchObject({ complete: true, error: undefined })
  })
})
