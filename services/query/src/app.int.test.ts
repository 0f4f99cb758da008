import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestQuery } from './query.fixture.ts'

type Query = Awaited<ReturnType<typeof createTestQuery>>

const id = '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87'
const operations = [
  ['GET', '/'],
  ['GET', `/notifications/${id}`],
  ['PATCH', `/notifications/${id}/read`],
  ['PATCH', `/notifications/${id}/unread`],
  ['GET', '/notifications/unread-count'],
  ['GET', '/change-entries'],
  ['GET', '/change-entries/all'],
] as const

const ready = async ({ admin }: Query) => {
  const { statusCode, body } = await admin.app.inject('/readyz')
  return { statusCode, ...JSON.parse(body) }
}

describe('with MongoDB', () => {
  let query: Query

  beforeAll(async () => {
    query = await createTestQuery('app')
  })
  afterAll(() => query?.stop())

  test('is not ready before migrate, names what is missing, and is ready afterwards', async () => {
    const before = await ready(query)
    expect(before).toMatchObject({ statusCode: 503, checks: [{ name: 'mongodb', ok: false }] })
    expect(before.checks[0].detail).toContain('collection notifications is missing')
    await query.store.migrate()
    expect(await ready(query)).toMatchObject({ statusCode: 200, checks: [{ name: 'mongodb', ok: true }] })
  })

  test.each(operations)('%s %s requires a token', async (method, path) => {
    const { status, headers, json } = await query.requestJson(method, path, {})
    expect([status, json.code]).toEqual([401, 'unauthorized'])
    expect(headers['www-authenticate']).toMatch(/^Bearer/)
  })

  test('returns 405 for another method, with an Allow header that includes the methods of ingest', async () => {
    const user = await query.newUser()
    const answer = await user.patch('/')
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
  })
})

describe('without MongoDB', () => {
  let query: Query

  beforeAll(async () => {
    // An address where nothing listens.
    query = await createTestQuery('away', { MONGODB_URI: 'mongodb://127.0.0.1:1/?directConnection=true' })
  })
  afterAll(() => query?.stop())

  test.each(operations)('%s %s returns a problem with Retry-After', async (method, path) => {
    const user = await query.newUser()
    const { status, headers, json } = await (method === 'GET' ? user.get(path) : user.patch(path))
    expect([status, json.code, headers['retry-after']]).toEqual([503, 'storage_unavailable', '5'])
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    // Contains no addresses or details of the driver.
    expect(JSON.stringify(json)).not.toMatch(/127\.0\.0\.1|mongo/i)
  })

  test('is alive but not ready', async () => {
    expect((await query.admin.app.inject('/livez')).statusCode).toBe(200)
    expect(await ready(query)).toMatchObject({ statusCode: 503, checks: [{ name: 'mongodb', ok: false }] })
  })
})
