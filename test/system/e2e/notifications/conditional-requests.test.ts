import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { createFor } from '../support/notifications.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

test.each(['/', '/?status=unread&limit=5', '/notifications/unread-count'])(
  'GET %s returns 304 for the current ETag until something changes',
  async (path) => {
    const user = await herald.newUser()
    const id = await createFor(user)
    const tagOf = async () => (await user.get(path)).headers.get('etag') ?? ''
    const getWith = (tag: string, method = 'GET') => user.send(path, { method, headers: { 'if-none-match': tag } })

    const tag = await tagOf()
    expect(tag).toMatch(/^"[^"]+"$/)
    expect(await tagOf()).toBe(tag)
    for (const known of [tag, `"other", W/${tag}`, '*']) {
      const answer = await getWith(known)
      expect([known, answer.status, answer.text, answer.headers.get('etag')]).toEqual([known, 304, '', tag])
    }
    expect((await getWith(tag, 'HEAD')).status).toBe(304)
    expect((await getWith('"other"')).status).toBe(200)

    await user.patch(`/notifications/${id}/read`)
    expect((await getWith(tag)).status).toBe(200)
    await user.patch(`/notifications/${id}/unread`)
    expect((await getWith(tag)).status).toBe(304)
    await createFor(user)
    expect((await getWith(tag)).status).toBe(200)
  },
)

test('an ETag does not replace a valid token', async () => {
  const [user, other] = [await herald.newUser(), await herald.newUser()]
  const tag = (await user.get('/')).headers.get('etag') ?? ''
  const answer = await other.send('/', { headers: { 'if-none-match': tag, authorization: 'Bearer garbage' } })
  expect(answer.status).toBe(401)
  expect((await user.get('/')).headers.get('cache-control')).toBe('private, no-cache')
  expect((await user.get('/')).headers.get('vary')).toMatch(/\bAuthorization\b/i)
})
