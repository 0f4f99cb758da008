import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createHttpServer, createLogger, createMetrics, type HttpServer, type Identity } from '@herald/runtime'
import type { ChangeLog, StoredChangeEntry } from '@herald/store'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createConcurrencyLimit } from '../concurrency-limit.ts'
import { documentOf } from './entry.fixture.ts'
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

const entry = (n: number, afterState = 'null'): StoredChangeEntry => ({
  id: uuid(n),
  subscriberId: uuid(2),
  user: { id: uuid(1), name: '', email: '' },
  entityType: '',
  entityId: '',
  entityTitle: '',
  actionType: '',
  changedField: '',
  beforeState: 'null',
  afterState,
  createdAt: new Date(n),
})

class Away extends Error {}

let app: HttpServer
afterEach(() => app.close())

/** Serves a log whose steps are made by `all`, and asks for it over a socket. */
async function request(
  all: () => AsyncIterable<StoredChangeEntry[]>,
  headers: Record<string, string> = {},
  { method = 'GET', stallMs = 60_000 } = {},
): Promise<IncomingMessage> {
  app = createHttpServer({
    logger: createLogger({ name: 'test', level: 'silent' }),
    authenticator: { authenticate: async () => ({ ok: true, identity }) },
    metrics: createMetrics(),
    isStorageUnavailable: (error) => error instanceof Away,
    drainMs: 100,
    stallMs,
  })
  const log: ChangeLog = {
    async *allBytes() {
      for await (const entries of all()) yield entries.map(documentOf)
    },
    listBytes: () => Promise.reject(new Error('Nobody asks for a page')),
  }
  const exports = createConcurrencyLimit({ perUser: 1, perProcess: 1 })
  addChangeEntryRoutes(app, { changeEntries: { of: () => log }, exports })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return ask({ method, headers })
}

async function ask(options: { method?: string; headers?: Record<string, string> } = {}): Promise<IncomingMessage> {
  const { port } = app.server.address() as AddressInfo
  const asked = httpRequest({ ...options, port, path: '/change-entries/all', agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return answer
}

/** Reads so many bytes, and stops. */
async function take(answer: IncomingMessage, bytes: number): Promise<void> {
  let taken = 0
  answer.on('data', function count(piece: Buffer) {
    taken += piece.length
    if (taken < bytes) return
    answer.off('data', count)
    answer.pause()
  })
  answer.resume()
  await once(answer, 'pause')
}

/** Looks again and again, until the test's own time is over. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20)
}

/** What arrived, and how it ended. */
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

test('a log that is read to its end is a whole transfer', async () => {
  const answer = await request(async function* () {
    yield [entry(3), entry(2)]
    yield [entry(1)]
  })
  const { text, error, complete } = await receive(answer)
  expect([error, complete]).toEqual([undefined, true])
  expect(JSON.parse(text).data).toHaveLength(3)
})

test.each([1, 2, 30])(
  'a storage that fails after %s steps cuts the transfer: no client takes it for whole',
  async (steps) => {
    const answer = await request(async function* () {
      for (let n = 0; n < steps; n++) yield [entry(n)]
      throw new Away()
    })
    expect(answer.statusCode).toBe(200)
    const { text, error, complete } = await receive(answer)
    expect(complete).toBe(false)
    expect(error).toMatchObject({ code: 'ECONNRESET' })
    expect(() => JSON.parse(text)).toThrow()
    expect(text).not.toContain(']}')
  },
)

test.each([{ accept: 'application/x-ndjson' }, { accept: 'text/csv' }, { 'accept-encoding': 'gzip' }])(
  'so it does with %j, where nothing else would tell',
  async (headers) => {
    const answer = await request(async function* () {
      for (let n = 0; n < 30; n++) yield [entry(n, JSON.stringify(randomBytes(30_000).toString('base64')))]
      throw new Away()
    }, headers)
    expect(await receive(answer)).toMatchObject({ complete: false, error: { code: 'ECONNRESET' } })
  },
)

test('what fails before the compressor gave anything is a problem that can be read', async () => {
  const answer = await request(
    async function* () {
      yield [entry(1)]
      throw new Away()
    },
    { 'accept-encoding': 'gzip' },
  )
  const { text } = await receive(answer)
  expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([503, undefined])
  expect(JSON.parse(text)).toMatchObject({ code: 'storage_unavailable' })
})

test('a storage that fails before the first entry is a problem, not a transfer', async () => {
  // biome-ignore lint/correctness/useYield: it fails before there is anything to yield.
  const answer = await request(async function* () {
    throw new Away()
  })
  const { text, complete } = await receive(answer)
  expect([answer.statusCode, answer.headers['retry-after'], complete]).toEqual([503, '5', true])
  expect(JSON.parse(text)).toMatchObject({ code: 'storage_unavailable' })
})

test('a client that leaves ends the reading', async () => {
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

test('a client that reads slowly is waited for: what is not sent is not read', async () => {
  let read = 0
  const answer = await request(async function* () {
    for (; read < 500; read++) yield [entry(read, JSON.stringify('x'.repeat(1_000_000)))]
  })
  answer.pause()
  await pause(500)
  // The buffers of both sockets hold some megabytes; the log has 500.
  const readMeanwhile = read
  await pause(500)
  expect(read).toBe(readMeanwhile)
  expect(read).toBeLessThan(50)
  answer.destroy()
})

test('HEAD gives the header fields, and reads nothing', async () => {
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

test('one export too many is refused until another one has ended', async () => {
  const gate = Promise.withResolvers<void>()
  const first = await request(async function* () {
    yield [entry(1)]
    await gate.promise
  })
  const refused = await ask()
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30'])
  expect(JSON.parse((await receive(refused)).text)).toMatchObject({ code: 'rate_limited' })
  expect((await ask({ method: 'HEAD' })).statusCode).toBe(200)
  gate.resolve()
  await receive(first)
  await until(async () => (await ask()).statusCode === 200)
})

describe('a reader who stops', () => {
  const stallMs = 3_000

  /** A transfer of more than the sockets hold, whose reader has stopped; `isOver` when the service has let go of it. */
  async function stopReading(steps: number, headers: Record<string, string> = {}) {
    let read = 0
    let isOver = false
    const answer = await request(
      async function* () {
        try {
          for (; read < steps; read++) yield [entry(read, JSON.stringify(randomBytes(750_000).toString('base64')))]
        } finally {
          isOver = read < steps
        }
      },
      headers,
      { stallMs },
    )
    answer.on('error', () => {})
    answer.pause()
    const open = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))
    return { answer, open, isOver: () => isOver, read: () => read }
  }

  test.each([{}, { 'accept-encoding': 'gzip' }, { accept: 'text/csv' }])('is cut off, with %j', async (headers) => {
    const { open, isOver } = await stopReading(100, headers)
    await until(async () => (await open()) === 0 && isOver())
  })

  test('and goes on in time gets all of it', async () => {
    const { answer, open } = await stopReading(50)
    for (let times = 0; times < 4; times++) {
      await pause(stallMs / 3)
      expect(await open()).toBe(1)
      await take(answer, 9_000_000)
    }
    expect(await receive(answer)).toMatchObject({ complete: true, error: undefined })
  })

  test('is told from a storage that takes its time', async () => {
    const answer = await request(
      async function* () {
        yield [entry(2)]
        await pause(1.5 * stallMs)
        yield [entry(1)]
      },
      {},
      { stallMs },
    )
    expect(await receive(answer)).toMatchObject({ complete: true, error: undefined })
  })
})
