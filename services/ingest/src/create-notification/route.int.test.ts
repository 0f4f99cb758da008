import { createHash, randomUUID } from 'node:crypto'
import { createdNotificationSchema } from '@herald/contracts'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { stringify } from 'safe-stable-stringify'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'

let ingest: TestIngest

beforeAll(async () => {
  ingest = await createTestIngest('route')
  await ingest.store.migrate()
})
afterAll(() => ingest?.stop())

const body = (changes: Record<string, unknown> = {}) => ({
  type: 'mention',
  actorType: 'user',
  subjectId: randomUUID(),
  subjectType: 'user',
  locationId: randomUUID(),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }, add: {}, edit: {} },
  recipientIds: [randomUUID(), randomUUID()],
  ...changes,
})

test('201 has the fields of specification 2.1, and is what every recipient finds', async () => {
  const author = await ingest.newUser({ name: 'Grace', picture: 'https://images.example/grace.png' })
  const { recipientIds, ...given } = body()
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
    expect(found).toMatchObject({ id, actor: { id: author.id, name: 'Grace' }, readAt: null })
  }
})

test('the actor type is the token’s: another is 403', async () => {
  const user = await ingest.newUser()
  const machine = await ingest.newUser({ actor_type: 'ai user' })
  for (const [author, actorType, status] of [
    [user, 'user', 201],
    [user, 'ai user', 403],
    [machine, 'ai user', 201],
    [machine, 'user', 403],
  ] as const) {
    const answer = await author.post(body({ actorType }))
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.json.code).toBe('actor_type_mismatch')
  }
})

test('a token without the scope is 403', async () => {
  const answer = await (await ingest.newUser({ scope: 'change-entries:read' })).post(body())
  expect([answer.status, answer.json.code]).toEqual([403, 'missing_scope'])
})

describe('Idempotency-Key', () => {
  test('the same body again is the same answer, byte for byte', async () => {
    const author = await ingest.newUser()
    const asked = body()
    const first = await author.post(asked, 'k')
    const again = await author.post(asked, 'k')
    expect([again.status, again.body]).toEqual([201, first.body])
  })

  test('another body is 422', async () => {
    const author = await ingest.newUser()
    await author.post(body(), 'k')
    const answer = await author.post(body(), 'k')
    expect([answer.status, answer.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('one that is in progress is 409, and says when to come again', async () => {
    const author = await ingest.newUser()
    const asked = body()
    const key = { subscriberId: author.subscriberId, userId: author.id, idempotencyKey: 'k' }
    const hash = createHash('sha256').update(stringify(asked)).digest()
    await ingest.store.createRequests.reserve(key, hash, 'what another process is making', new Date())
    const { status, json, headers } = await author.post(asked, 'k')
    expect([status, json.code]).toEqual([409, 'request_in_progress'])
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(25)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30)
  })

  test('ten at once are one notification', async () => {
    const author = await ingest.newUser()
    const asked = body()
    const answers = await Promise.all(Array.from({ length: 10 }, () => author.post(asked, 'k')))
    expect(new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.body)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  })

  test.each([
    ['k'.repeat(255), 201],
    ['k'.repeat(256), 400],
    ['', 400],
  ])('%# has at most 255 characters, and at least one', async (key, status) => {
    const answer = await (await ingest.newUser()).post(body(), key)
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.json.errors).toMatchObject([{ pointer: '/idempotency-key' }])
  })

  test('given twice it is 400, be they the same or not', async () => {
    const author = await ingest.newUser()
    for (const keys of [
      ['k', 'k'],
      ['k', 'l'],
    ]) {
      const answer = await author.post(body(), ...keys)
      expect([answer.status, answer.json.errors]).toMatchObject([400, [{ pointer: '/idempotency-key' }]])
    }
  })

  test('a request that is refused does not use the key up', async () => {
    const author = await ingest.newUser()
    expect((await author.post(body({ recipientIds: [] }), 'k')).status).toBe(400)
    expect((await author.post(body({ actorType: 'ai user' }), 'k')).status).toBe(403)
    expect((await author.post(body(), 'k')).status).toBe(201)
  })
})

test('every fault of body and headers is named at once', async () => {
  const answer = await (await ingest.newUser()).post(body({ type: 'like', extra: 1, subjectId: 'x' }), 'k'.repeat(256))
  expect([answer.status, answer.json.code]).toEqual([400, 'validation_failed'])
  const pointers = answer.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
  expect(pointers).toEqual(['/extra', '/idempotency-key', '/subjectId', '/type'])
})
