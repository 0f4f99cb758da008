import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import type { Notification } from '../support/spec-shapes.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await startTestHerald('conditional')
})
afterAll(() => herald?.stop())

test.each(['/', '/?status=unread&limit=5', '/notifications/unread-count'])(
  'GET %s is 304 for who has it already, until something changes',
  async (path) => {
    const user = await herald.newUser()
    const { id } = ((await user.post('/', createBody([user.id]))).json as { data: Notification }).data
    const tagOf = async () => (await user.get(path)).headers.get('etag') ?? ''
    const askWith = (tag: string, method = 'GET') => user.send(path, { method, headers: { 'if-none-match': tag } })

    const tag = await tagOf()
    expect(tag).toMatch(/^"[^"]+"$/)
    expect(await tagOf()).toBe(tag)
    for (const known of [tag, `"other", W/${tag}`, '*']) {
      const answer = await askWith(known)
      expect([known, answer.status, answer.text, answer.headers.get('etag')]).toEqual([known, 304, '', tag])
    }
    expect((await askWith(tag, 'HEAD')).status).toBe(304)
    expect((await askWith('"other"')).status).toBe(200)

    await user.patch(`/notifications/${id}/read`)
    expect((await askWith(tag)).status).toBe(200)
    await user.patch(`/notifications/${id}/unread`)
    expect((await askWith(tag)).status).toBe(304)
    await user.post('/', createBody([user.id]))
    expect((await askWith(tag)).status).toBe(200)
  },
)

test('a tag says nothing of who may see what: another’s does not spare the token', async () => {
  const [user, other] = [await herald.newUser(), await herald.newUser()]
  const tag = (await user.get('/')).headers.get('etag') ?? ''
  const answer = await other.send('/', { headers: { 'if-none-match': tag, authorization: 'Bearer garbage' } })
  expect(answer.status).toBe(401)
  expect((await user.get('/')).headers.get('cache-control')).toBe('private, no-cache')
  expect((await user.get('/')).headers.get('vary')).toMatch(/\bAuthorization\b/i)
})
