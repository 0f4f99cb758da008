import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from './create-body.ts'
import { startTestHerald, type TestHerald } from './herald.ts'
import type { Answer } from './http-client.ts'
import { expectProblem } from './problem.ts'
import type { Notification } from './spec-shapes.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await startTestHerald('isolation')
})
afterAll(() => herald?.stop())

/** All that an answer tells, apart from what is different in any two answers. */
const told = (answer: Answer, id: string) => {
  const { instance: _, ...document } = expectProblem(answer, 404, 'not_found')
  const headers = [...answer.headers.keys()].sort()
  return JSON.stringify({ document, headers }).replaceAll(id, '<id>')
}

test.each([
  ['GET', ''],
  ['PATCH', '/read'],
  ['PATCH', '/unread'],
])('%s /notifications/{id}%s answers for another’s as for one that does not exist', async (method, rest) => {
  const owner = await herald.newUser()
  const { id } = ((await owner.post('/', createBody([owner.id]))).json as { data: Notification }).data
  const before = (await owner.get(`/notifications/${id}`)).json
  const missing = randomUUID()

  const strangers = [
    await herald.newUser({ subscriberId: owner.subscriberId }),
    await herald.newUser({ id: owner.id }),
    await herald.newUser(),
  ]
  for (const stranger of strangers) {
    const ask = (notificationId: string) => stranger.send(`/notifications/${notificationId}${rest}`, { method })
    expect(told(await ask(id), id)).toBe(told(await ask(missing), missing))
    expect((await stranger.get('/')).json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
  }
  expect((await owner.get(`/notifications/${id}`)).json).toStrictEqual(before)
})

test('whoever names another subscriber or user in a header, a query or a body gets nothing by it', async () => {
  const owner = await herald.newUser()
  await owner.post('/', createBody([owner.id]))
  const stranger = await herald.newUser()
  const named = { 'x-subscriber-id': owner.subscriberId, 'x-user-id': owner.id, subscriber_id: owner.subscriberId }
  const answer = await stranger.send('/', { headers: named })
  expect(answer.json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
  expect((await stranger.get(`/?subscriberId=${owner.subscriberId}`)).status).toBe(400)
  const posted = await stranger.post('/', { ...createBody([owner.id]), subscriberId: owner.subscriberId })
  expect(posted.status).toBe(400)
})

test('a recipient of another subscriber, named by id, sees nothing of it', async () => {
  const [author, elsewhere] = [await herald.newUser(), await herald.newUser()]
  await author.post('/', createBody([elsewhere.id]))
  expect((await elsewhere.get('/')).json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
})
