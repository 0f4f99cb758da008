import { expect, test } from '@jest/globals'
import { createLogger } from './logger.ts'

const secret = 'hush-hush-hush'
const token = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`

function createTestLogger() {
  const lines: string[] = []
  const logger = createLogger({ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } })
  return { logger, lines }
}

function nest(value: unknown, levels: number): unknown {
  return levels === 0 ? value : { inner: [nest(value, levels - 1)] }
}

test('writes ISO time, level and service name', () => {
  const { logger, lines } = createTestLogger()
  logger.info({ count: 1, at: new Date(0), big: 2n }, 'Hello')
  logger.debug('Not written')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      name: 'test',
      count: 1,
      at: '1970-01-01T00:00:00.000Z',
      big: '2',
      msg: 'Hello',
    },
  ])
})

const secretFields = {
  authorization: secret,
  Authorization: secret,
  cookie: secret,
  'set-cookie': secret,
  token: secret,
  jwt: secret,
  access_token: secret,
  password: secret,
  snippet: secret,
  email: secret,
  beforeState: secret,
  body: secret,
  afterState: { deep: [secret] },
  metadata: { mention: { snippet: secret } },
  rawHeaders: ['authorization', secret],
}

test.each([0, 1, 2, 5])('redacts secrets %i levels deep', (levels) => {
  const { logger, lines } = createTestLogger()
  logger.info(nest(secretFields, levels), 'x')
  logger
    .child({ context: nest(secretFields, levels) })
    .child({ email: secret })
    .warn({ kept: 'kept' }, 'x')
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toContain(secret)
  expect(lines.join()).toContain('kept')
})

test('writes errors with their causes and without other properties', () => {
  const { logger, lines } = createTestLogger()
  const cause = Object.assign(new TypeError('Inner'), { document: { beforeState: secret }, config: { data: secret } })
  const error = Object.assign(new Error('Outer', { cause }), {
    code: 'E_OUTER',
    body: secret,
    rawPacket: Buffer.from(secret),
  })
  logger.error(error)
  logger.error({ err: error, other: { nested: error } }, 'Failed')
  logger.error({ err: new AggregateError([error, 'text'], 'All') }, 'Failed')
  expect(lines.join()).not.toContain(secret)
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({
    err: { type: 'Error', message: 'Outer', code: 'E_OUTER', cause: { type: 'TypeError', message: 'Inner' } },
    other: { nested: { message: 'Outer' } },
  })
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({
    err: { type: 'AggregateError', errors: [{ message: 'Outer' }, {}] },
  })
})

test('masks tokens and passwords within text', () => {
  const { logger, lines } = createTestLogger()
  logger.info({ note: `got ${token}`, header: [`Bearer ${secret}`] }, `Token ${token}`)
  logger.error(new Error(`Cannot reach mongodb+srv://user:${secret}@host/db with Bearer ${secret}`))
  logger.child({ uri: `amqp://u:${secret}@host` }).info('x')
  expect(lines.join()).not.toMatch(new RegExp(`${secret}|eyJaaa`))
  expect(lines.join()).toContain('@host/db')
})

test('neither throws on nor writes out hostile objects', () => {
  const { logger, lines } = createTestLogger()
  const circular: Record<string, unknown> = { kept: 'kept' }
  circular.self = circular
  class Request {
    headers = { secret }
    hidden = secret
  }
  const throwing = Object.defineProperty({}, 'bad', {
    enumerable: true,
    get: () => {
      throw new Error(secret)
    },
  })
  const polluting = JSON.parse(`{"__proto__":{"email":"${secret}"},"constructor":{"token":"${secret}"}}`)
  const values = {
    circular,
    request: new Request(),
    throwing,
    polluting,
    bytes: Buffer.from('abc'),
    map: new Map([[1, secret]]),
  }
  logger.info({ ...values, long: 'a'.repeat(100_000), many: Array(10_000).fill(1), invalid: new Date(Number.NaN) }, 'x')
  expect(lines).toHaveLength(1)
  const line = lines[0] ?? ''
  expect(line).not.toContain(secret)
  expect(line.length).toBeLessThan(10_000)
  expect(JSON.parse(line)).toMatchObject({
    request: '[Request]',
    throwing: '[unreadable]',
    map: '[Map]',
    bytes: '[Buffer]',
  })
})

test('of an error of MongoDB’s server just the code is written: its message may quote documents', () => {
  const { logger, lines } = createTestLogger()
  class MongoServerError extends Error {
    override readonly name = 'MongoServerError'
    readonly code = 10334
    readonly codeName = 'BSONObjectTooLarge'
  }
  const cause = new MongoServerError(`Size is invalid: { userEmail: "${secret}",\n afterState: "${secret}" }`)
  logger.error({ err: new Error('Outer', { cause }) }, 'Failed')
  logger.error({ err: Object.assign(cause, { name: 'MongoBulkWriteError' }) }, 'Failed')
  logger.error(
    { err: Object.assign(new Error('connect ECONNREFUSED'), { name: 'MongoServerSelectionError' }) },
    'Failed',
  )
  const [outer, inner, unreachable] = lines.map((line) => JSON.parse(line).err)
  expect(outer.cause).toMatchObject({ type: 'MongoServerError', code: 10334, codeName: 'BSONObjectTooLarge' })
  expect(outer.cause.stack).toMatch(/^ {4}at /)
  expect(inner.message).toBe('Refused by MongoDB')
  expect(unreachable.message).toBe('connect ECONNREFUSED')
  expect(lines.join()).not.toContain(secret)
})
