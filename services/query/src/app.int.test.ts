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

  test('it is not ready before migrate, says what is missing, and is afterwards', async () => {
    const before = await ready(query)
    expect(before).toMatchObject({ statusCode: 503, checks: [{ name: 'mongodb', ok: false }] })
    expect(before.checks[0].detail).toContain('collection notifications is missing')
    await query.store.migrate()
    expect(await ready(query)).toMatchObject({ statusCode: 200, checks: [{ name: 'mongodb', ok: true }] })
  })

  test.each(operations)('%s %s asks for a token', async (method, path) => {
    const { status, headers, json } = await query.ask(method, path, {})
    expect([status, json.code]).toEqual([401, 'unauthorized'])
    expect(headers['www-authenticate']).toMatch(/^Bearer/)
  })

  test('a path that is there with another method is 405, and its Allow knows of ingest too', async () => {
    const user = await query.newUser()
    const answer = await user.patch('/')
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
  })
})

describe('without MongoDB', () => {
  let query: Query

  beforeAll(async () => {
    // Nobody listens there.
    query = await createTestQuery('away', { MONGODB_URI: 'mongodb://127.0.0.1:1/?directConnection=true' })
  })
  afterAll(() => query?.stop())

  test.each(operations)('%s %s is a problem that says when to come again', async (method, path) => {
    const user = await query.newUser()
    const { status, headers, json } = await (method === 'GET' ? user.get(path) : user.patch(path))
    expect([status, json.code, headers['retry-after']]).toEqual([503, 'storage_unavailable', '5'])
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    // Nothing of addresses or of the driver.
    expect(JSON.stringify(json)).not.toMatch(/127\.0\.0\.1|mongo/i)
  })

  test('it is alive, and not ready', async () => {
    expect((await query.admin.app.inject('/livez')).statusCode).toBe(200)
    expect(await ready(query)).toMatchObject({ statusCode: 503, checks: [{ name: 'mongodb', ok: false }] })
  })
})
