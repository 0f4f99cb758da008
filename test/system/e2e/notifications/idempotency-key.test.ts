import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import type { Answer } from '../support/http-client.ts'
import { dataOf, listIds } from '../support/notifications.ts'
import { expectProblem } from '../support/problem.ts'
import type { CreatedNotification } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const postWith = (user: User, key: string, json: unknown) => user.post('/', json, { 'idempotency-key': key })
const idOf = (answer: Answer) => dataOf<CreatedNotification>(answer).id

/** Returns the JSON value with the keys in reverse order at every level. */
const reordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reordered(item)]),
  )
}

test('returns the first response for the same key and body, and creates one notification', async () => {
  const user = await herald.newUser()
  const body = createBody([user.id, randomUUID()])
  const first = await postWith(user, 'once', body)
  expect(first.status).toBe(201)
  for (const again of [body, reordered(body), body]) {
    const answer = await postWith(user, 'once', again)
    expect(answer.status).toBe(201)
    expect(answer.json).toStrictEqual(first.json)
  }
  expect(await listIds(user)).toEqual([idOf(first)])
})

test('a repeated request keeps the read state', async () => {
  const user = await herald.newUser()
  const body = createBody([user.id])
  const first = await postWith(user, 'read', body)
  const read = await user.patch(`/notifications/${idOf(first)}/read`)
  expect((await postWith(user, 'read', body)).json).toStrictEqual(first.json)
  expect((await user.get(`/notifications/${idOf(first)}`)).json).toStrictEqual(read.json)
})

test('returns 422 for the same key with another body', async () => {
  const user = await herald.newUser()
  const body = createBody([user.id])
  const first = await postWith(user, 'other', body)
  expectProblem(await postWith(user, 'other', { ...body, locationType: 'file' }), 422, 'idempotency_key_reused')
  expect(await listIds(user)).toEqual([idOf(first)])
})

test('a key can be used again after its request was rejected', async () => {
  const user = await herald.newUser()
  expectProblem(await postWith(user, 'corrected', createBody([])), 400, 'validation_failed')
  expect((await postWith(user, 'corrected', createBody([user.id]))).status).toBe(201)
})

test('of eight concurrent requests with one key all successes are the same notification, the others return 409', async () => {
  const user = await herald.newUser()
  const body = createBody([user.id])
  const answers = await Promise.all(Array.from({ length: 8 }, () => postWith(user, 'at once', body)))
  const succeeded = answers.filter(({ status }) => status === 201)
  const ids = [...new Set(succeeded.map(idOf))]
  expect(ids).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 409, 'request_in_progress')
  expect(await listIds(user)).toEqual(ids)
})

test('a key is scoped to its user: other users and the same user id of another subscriber create their own notifications', async () => {
  const user = await herald.newUser()
  const others = [await herald.newUser({ subscriberId: user.subscriberId }), await herald.newUser({ id: user.id })]
  const body = createBody([randomUUID()])
  const answers = await Promise.all([user, ...others].map((each) => postWith(each, 'shared', body)))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(answers.map(idOf)).size).toBe(3)
})

test('without a key the same body creates two notifications', async () => {
  const user = await herald.newUser()
  const body = createBody([user.id])
  const ids = [idOf(await user.post('/', body)), idOf(await user.post('/', body))]
  expect((await listIds(user)).sort()).toEqual(ids.sort())
})

test('accepts a key of 255 characters and rejects one of 256', async () => {
  const user = await herald.newUser()
  expect((await postWith(user, 'k'.repeat(255), createBody([user.id]))).status).toBe(201)
  const refused = await postWith(user, 'k'.repeat(256), createBody([user.id]))
  expectProblem(refused, 400, (refused.json as { code: string }).code)
})

test('rejects two keys on one request instead of joining them', async () => {
  const user = await herald.newUser()
  // Not with fetch: it joins repeated headers.
  const outgoing = request(`${herald.ingest.url}/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      'idempotency-key': ['a', 'b'],
    },
  })
  outgoing.end(JSON.stringify(createBody([user.id])))
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(400)
  expect(await listIds(user)).toEqual([])
})
