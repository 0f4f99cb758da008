import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createHttpServer, createLogger, createMetrics, type HttpServer, type Identity } from '@herald/runtime'
import type { ChangeLog, StoredChangeEntry } from '@herald/store'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
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
): Promise<IncomingMessage> {
  app = createHttpServer({
    logger: createLogger({ name: 'test', level: 'silent' }),
    authenticator: { authenticate: async () => ({ ok: true, identity }) },
    metrics: createMetrics(),
    isStorageUnavailable: (error) => error instanceof Away,
    drainMs: 100,
  })
  const log: ChangeLog = {
    async *allBytes() {
      for await (const entries of all()) yield entries.map(documentOf)
    },
    list: () => Promise.reject(new Error('Nobody asks for a page')),
  }
  addChangeEntryRoutes(app, { changeEntries: { of: () => log } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const asked = get({ port, path: '/change-entries/all', agent: false, headers })
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

describe('a reader who stops', () => {
  beforeEach(() => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask', 'performance', 'Date'],
    })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  /** A transfer of more than the sockets hold, whose reader has stopped; `isOver` when the service has let go of it. */
  async function stopReading(steps: number, headers: Record<string, string> = {}) {
    let read = 0
    let isOver = false
    const answer = await request(async function* () {
      try {
        for (; read < steps; read++) yield [entry(read, JSON.stringify(randomBytes(750_000).toString('base64')))]
      } finally {
        isOver = read < steps
      }
    }, headers)
    answer.on('error', () => {})
    answer.pause()
    const settle = async () => {
      for (let before = -1; before < read; await pause(300)) before = read
    }
    await settle()
    const open = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))
    return { answer, settle, open, isOver: () => isOver }
  }

  test.each([{}, { 'accept-encoding': 'gzip' }, { accept: 'text/csv' }])(
    'is cut off after a minute, and not before, with %j',
    async (headers) => {
      const { open, isOver } = await stopReading(100, headers)
      jest.advanceTimersByTime(59_000)
      await pause(100)
      expect([await open(), isOver()]).toEqual([1, false])
      jest.advanceTimersByTime(1_000)
      await until(async () => (await open()) === 0 && isOver())
    },
  )

  test('and goes on within the minute gets all of it', async () => {
    const { answer, settle, open } = await stopReading(50)
    for (let times = 0; times < 4; times++) {
      jest.advanceTimersByTime(50_000)
      expect(await open()).toBe(1)
      await take(answer, 5_000_000)
      await settle()
    }
    expect(await receive(answer)).toMatchObject({ complete: true, error: undefined })
  })

  test('is told from a storage that takes its time', async () => {
    let goOn = () => {}
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const answer = await request(async function* () {
      yield [entry(2)]
      await mayGoOn
      yield [entry(1)]
    })
    await once(answer, 'readable')
    jest.advanceTimersByTime(200_000)
    goOn()
    expect(await receive(answer)).toMatchObject({ complete: true, error: undefined })
  })
})
