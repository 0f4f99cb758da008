import { createHash } from 'node:crypto'
import { createdNotificationSchema } from '@herald/contracts'
import type { NewNotification } from '@herald/feed'
import { toCanonicalJson } from '@herald/sealed-log'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'
import { createRequest } from './create-request.fixture.ts'

let ingest: TestIngest

beforeAll(async () => {
  ingest = await createTestIngest('route')
  await ingest.migrate()
})
afterAll(() => ingest?.stop())

test('returns 201 with the fields of specification 2.1 and stores the notification for every recipient', async () => {
  const author = await ingest.newUser({ name: 'Grace', picture: 'https://images.example/grace.png' })
  const { recipientIds, ...given } = createRequest()
  const answer = await author.post({ ...given, recipientIds })
  expect(answer.status).toBe(201)
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  const { id, createdAt } = answer.json.data
  expect(answer.json).toStrictEqual({
    data: {
      ...given,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      subscriberId: author.subscriberId,
      actorId: author.id,
      actor: { id: author.id, name: 'Grace', image: 'https://images.example/grace.png' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updatedAt: createdAt,
      recipients: recipientIds.map((recipientId) => ({ recipientId, readAt: null, emailSentAt: null })),
    },
  })
  expect(createdNotificationSchema.parse(answer.json.data)).toStrictEqual(answer.json.data)
  for (const recipientId of recipientIds) {
    const found = await ingest.store.notifications.of({ subscriberId: author.subscriberId, recipientId }).get(id)
    expect(JSON.parse(String(found)).data).toMatchObject({ id, actor: { id: author.id, name: 'Grace' }, readAt: null })
  }
})

test('returns 403 for an actor type other than the token’s', async () => {
  const user = await ingest.newUser()
  const machine = await ingest.newUser({ actor_type: 'ai user' })
  for (const [author, actorType, status] of [
    [user, 'user', 201],
    [user, 'ai user', 403],
    [machine, 'ai user', 201],
    [machine, 'user', 403],
  ] as const) {
    const answer = await author.post(createRequest({ actorType }))
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.json.code).toBe('actor_type_mismatch')
  }
})

test('returns 403 for a token without the scope', async () => {
  const answer = await (await ingest.newUser({ scope: 'change-entries:read' })).post(createRequest())
  expect([answer.status, answer.json.code]).toEqual([403, 'missing_scope'])
})

describe('Idempotency-Key', () => {
  test('returns the same response byte for byte for the same body', async () => {
    const author = await ingest.newUser()
    const asked = createRequest()
    const first = await author.post(asked, 'k')
    const again = await author.post(asked, 'k')
    expect([again.status, again.body]).toEqual([201, first.body])
  })

  test('returns 422 for a different body', async () => {
    const author = await ingest.newUser()
    await author.post(createRequest(), 'k')
    const answer = await author.post(createRequest(), 'k')
    expect([answer.status, answer.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('returns 409 with Retry-After while the first request is in progress', async () => {
    const author = await ingest.newUser()
    const asked = createRequest()
    const key = { subscriberId: author.subscriberId, userId: author.id, idempotencyKey: 'k' }
    const hash = createHash('sha256').update(toCanonicalJson(asked)).digest()
    await ingest.store.createRequests.reserve(key, hash, {} as NewNotification, ingest.store.now())
    const { status, json, headers } = await author.post(asked, 'k')
    expect([status, json.code]).toEqual([409, 'request_in_progress'])
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(25)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30)
  })

  test('creates one notification for ten concurrent requests', async () => {
    const author = await ingest.newUser()
    const asked = createRequest()
    const answers = await Promise.all(Array.from({ length: 10 }, () => author.post(asked, 'k')))
    expect(new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.body)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  })

  test.each([
    ['k'.repeat(255), 201],
    ['k'.repeat(256), 400],
    ['', 400],
  ])('accepts 1 to 255 characters (%#)', async (key, status) => {
    const answer = await (await ingest.newUser()).post(createRequest(), key)
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.json.errors).toMatchObject([{ pointer: '/idempotency-key' }])
  })

  test('returns 400 for a repeated header, whether the values are equal or not', async () => {
    const author = await ingest.newUser()
    for (const keys of [
      ['k', 'k'],
      ['k', 'l'],
    ]) {
      const answer = await author.post(createRequest(), ...keys)
      expect([answer.status, answer.json.errors]).toMatchObject([400, [{ pointer: '/idempotency-key' }]])
    }
  })

  test('does not use up the key of a rejected request', async () => {
    const author = await ingest.newUser()
    expect((await author.post(createRequest({ recipientIds: [] }), 'k')).status).toBe(400)
    expect((await author.post(createRequest({ actorType: 'ai user' }), 'k')).status).toBe(403)
    expect((await author.post(createRequest(), 'k')).status).toBe(201)
  })
})

test('reports all errors of body and headers at once', async () => {
  const answer = await (await ingest.newUser()).post(
    createRequest({ type: 'like', extra: 1, subjectId: 'x' }),
    'k'.repeat(256),
  )
  expect([answer.status, answer.json.code]).toEqual([400, 'validation_failed'])
  const pointers = answer.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
  expect(pointers).toEqual(['/extra', '/idempotency-key', '/subjectId', '/type'])
})

test('creations of a user that are too large together wait for each other', async () => {
  const small = await createTestIngest('budget', { environment: { MAX_CREATION_BYTES: '1' } })
  try {
    const author = await small.newUser()
    const answers = await Promise.all(Array.from({ length: 5 }, () => author.post(createRequest())))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    const { payload } = await small.admin.app.inject('/metrics')
    expect(payload).toContain('herald_budget_limit{budget="creations"} 1\n')
    expect(payload).toContain('herald_budget_held{budget="creations"} 0\n')
  } finally {
    await small.stop()
  }
})
