import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { expectProblem, expectValidationIssues } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User
const id = randomUUID()

beforeAll(async () => {
  herald = await useSharedHerald()
  user = await herald.newUser({ scope: 'notifications:create change-entries:read' })
})
afterAll(() => herald?.disconnect())

test.each([
  ['limit=0', ['/limit']],
  ['limit=101', ['/limit']],
  ['limit=abc', ['/limit']],
  ['limit=-1', ['/limit']],
  ['limit=1.5', ['/limit']],
  ['limit=', ['/limit']],
  ['limit=1e1', ['/limit']],
  ['limit=10&limit=20', ['/limit']],
  ['cursor=abc', ['/cursor']],
  ['cursor=', ['/cursor']],
  [`cursor=${id}&cursor=${id}`, ['/cursor']],
  [`cursor[]=${id}`, ['/cursor[]']],
  ['status=seen', ['/status']],
  ['type=like', ['/type']],
  ['locationType=user', ['/locationType']],
  ['locationId=x', ['/locationId']],
  ['subjectId=x', ['/subjectId']],
  ['createdFrom=yesterday', ['/createdFrom']],
  ['createdTo=2026-02-30T00:00:00Z', ['/createdTo']],
  ['page=2', ['/page']],
  [`userId=${id}`, ['/userId']],
  ['limit=0&cursor=x&status=y&page=2', ['/cursor', '/limit', '/page', '/status']],
])('GET /?%s returns 400 and names each invalid parameter', async (query, pointers) => {
  expectValidationIssues(await user.get(`/?${query}`), pointers)
})

test.each([
  ['POST', '/'],
  ['GET', `/notifications/${id}`],
  ['DELETE', `/notifications/${id}`],
  ['PATCH', `/notifications/${id}/read`],
  ['PATCH', `/notifications/${id}/unread`],
  ['GET', '/change-entries/all'],
])('%s %s rejects an unknown query parameter', async (method, path) => {
  const json = method === 'POST' ? { json: createBody([id]) } : {}
  expectValidationIssues(await user.send(`${path}?extra=1`, { method, ...json }), ['/extra'])
})

test.each([
  ['GET', '/notifications/abc'],
  ['GET', `/notifications/${id}0`],
  ['GET', `/notifications/{${id}}`],
  ['PATCH', '/notifications/abc/read'],
  ['PATCH', '/notifications/%20/unread'],
])('%s %s returns 400 for its UUID', async (method, path) => {
  expectValidationIssues(await user.send(path, { method }), ['/notificationId'])
})

test.each([
  ['GET', `/notifications/${id}`],
  ['PATCH', `/notifications/${id}/read`],
  ['PATCH', `/notifications/${id}/unread`],
  ['GET', '/nowhere'],
  ['POST', '/nowhere'],
  ['GET', '/change-entries/all/more'],
  ['GET', `/notifications/${id}/unread/more`],
  ['GET', '//'],
  ['GET', '/constructor'],
])('%s %s returns 404', async (method, path) => {
  expectProblem(await user.send(path, { method }), 404, 'not_found')
})

test.each([
  ['PUT', '/', ['GET', 'HEAD', 'POST']],
  ['DELETE', '/', ['GET', 'HEAD', 'POST']],
  ['PATCH', '/', ['GET', 'HEAD', 'POST']],
  ['POST', `/notifications/${id}`, ['DELETE', 'GET', 'HEAD']],
  ['GET', `/notifications/${id}/read`, ['PATCH']],
  ['HEAD', `/notifications/${id}/unread`, ['PATCH']],
  ['POST', `/notifications/${id}/unread`, ['PATCH']],
  ['POST', '/change-entries/all', ['GET', 'HEAD']],
])('%s %s returns 405 with the allowed methods', async (method, path, allowed) => {
  const answer = await user.send(path, { method })
  expect(answer.status).toBe(405)
  expect(answer.headers.get('allow')?.split(/, */).sort()).toEqual(allowed)
  if (method !== 'HEAD') expectProblem(answer, 405, 'method_not_allowed')
})

test('HEAD returns the status and headers of GET without a body', async () => {
  const created = await user.post('/', createBody([user.id]))
  const { id: own } = (created.json as { data: { id: string } }).data
  for (const path of ['/', '/?limit=1', `/notifications/${own}`, '/change-entries/all']) {
    const [get, head] = [await user.get(path), await user.send(path, { method: 'HEAD' })]
    expect([path, head.status, head.text]).toEqual([path, 200, ''])
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  }
  expect((await user.send(`/notifications/${id}`, { method: 'HEAD' })).status).toBe(404)
  expect((await user.send('/?limit=0', { method: 'HEAD' })).status).toBe(400)
})

test('returns an empty list for a user without notifications', async () => {
  const newcomer = await herald.newUser()
  expect((await newcomer.get('/')).json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
  expect((await newcomer.get(`/?cursor=${id}`)).json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
})
