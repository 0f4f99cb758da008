import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { expectNow } from '../support/clock.ts'
import { createBody, metadata } from '../support/create-body.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { type CreatedNotification, timeForm, uuidForm } from '../support/spec-shapes.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const created = (json: unknown) => (json as { data: CreatedNotification }).data

test('POST / returns 201 with exactly the specified fields and the recipients in order', async () => {
  const author = await herald.newUser({ name: 'Grace', picture: 'https://images.example/grace.png' })
  const recipientIds = Array.from({ length: 12 }, () => randomUUID())
  const body = createBody(recipientIds)
  const answer = await author.post('/', body)

  expect(answer.status).toBe(201)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
  const { recipientIds: _, ...given } = body
  expect(answer.json).toStrictEqual({
    data: {
      ...given,
      id: expect.stringMatching(uuidForm),
      subscriberId: author.subscriberId,
      actorId: author.id,
      actor: { id: author.id, name: 'Grace', image: 'https://images.example/grace.png' },
      createdAt: expect.stringMatching(timeForm),
      updatedAt: created(answer.json).createdAt,
      recipients: recipientIds.map((recipientId) => ({ recipientId, readAt: null, emailSentAt: null })),
    },
  })
  expectNow(created(answer.json).createdAt)
})

test('each recipient finds it immediately in the list and by id; an author who is not a recipient does not', async () => {
  const author = await herald.newUser()
  const colleagues = { subscriberId: author.subscriberId }
  const [anna, ben] = [await herald.newUser(colleagues), await herald.newUser(colleagues)]
  const answer = await author.post('/', createBody([anna.id, ben.id]))
  const { recipients: _, ...shared } = created(answer.json)
  const own = { ...shared, readAt: null, emailSentAt: null }

  for (const user of [anna, ben]) {
    expect((await user.get('/')).json).toStrictEqual({ data: { notifications: [own], nextCursor: null } })
    expect((await user.get(`/notifications/${own.id}`)).json).toStrictEqual({ data: own })
  }
  expect((await author.get('/')).json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
})

test('returns metadata unchanged, with any keys and in their order', async () => {
  const author = await herald.newUser()
  const free = {
    zulu: 1,
    alpha: [null, true, -0.5, 1e21, '', '\u0000 \u2028 🦊'],
    $set: { 'a.b': { $ref: 'x', $id: 1, $db: 'y', _bsontype: 'ObjectId' } },
    constructor: { prototype: { x: 1 } },
    '': { '': {} },
    'ключ 🗝': [[[{}]]],
    toJSON: 'text',
  }
  const given = metadata({ anchorId: 'anchor-1' }, { add: free, edit: { edited: [free] } })
  const answer = await author.post('/', createBody([author.id], { metadata: given }))
  expect(answer.status).toBe(201)
  const answered = created(answer.json)
  expect(JSON.stringify(answered.metadata)).toBe(JSON.stringify(given))
  const listed = await author.get(`/notifications/${answered.id}`)
  expect(JSON.stringify(created(listed.json).metadata)).toBe(JSON.stringify(given))
})

test('add and edit default to empty objects', async () => {
  const author = await herald.newUser()
  const mention = { mentionerName: '', snippet: '', anchorId: 'anchor-1' }
  const answer = await author.post('/', createBody([author.id], { metadata: { mention } }))
  expect(answer.status).toBe(201)
  expect(created(answer.json).metadata).toStrictEqual({ mention, add: {}, edit: {} })
})

test('accepts ids in upper case and returns them in lower case', async () => {
  const author = await herald.newUser()
  const body = createBody([author.id])
  const inUpperCase = { subjectId: body.subjectId.toUpperCase(), recipientIds: [author.id.toUpperCase()] }
  const answer = await author.post('/', { ...body, ...inUpperCase })
  expect(answer.status).toBe(201)
  expect(created(answer.json)).toMatchObject({ subjectId: body.subjectId, recipients: [{ recipientId: author.id }] })
  const { id } = created(answer.json)
  expect((await author.get(`/notifications/${id.toUpperCase()}`)).json).toMatchObject({ data: { id } })
})

test.each([
  ['user', 'comment', 'user'],
  ['user', 'value', 'ai user'],
  ['user', 'file comment', 'comment'],
  ['user', 'file', 'value'],
  ['user', 'entity', 'file comment'],
  ['ai user', 'entity', 'file'],
  ['ai user', 'comment', 'entity'],
])(
  'accepts an actor of type %s, a location of type %s and a subject of type %s',
  async (actorType, locationType, subjectType) => {
    const author = await herald.newUser({ actor_type: actorType })
    const answer = await author.post('/', createBody([author.id], { actorType, locationType, subjectType }))
    expect(answer.status).toBe(201)
    expect(created(answer.json)).toMatchObject({ actorType, locationType, subjectType })
  },
)

test('name and image of the actor are empty when the token has none', async () => {
  const author = await herald.newUser({ name: undefined, picture: undefined })
  const answer = await author.post('/', createBody([author.id]))
  expect(created(answer.json).actor).toStrictEqual({ id: author.id, name: '', image: '' })
})
