import { changeEntrySchema } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { changeEntryAt, changeEntryJson, createTestQuery } from '../query.fixture.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
let query: Awaited<ReturnType<typeof createTestQuery>>

beforeAll(async () => {
  query = await createTestQuery('change-log')
  await query.store.migrate()
})
afterAll(() => query?.stop())

test('an empty log is an empty list', async () => {
  const { status, headers, body } = await (await query.newUser()).get('/change-entries/all')
  expect([status, body]).toEqual([200, '{"data":[]}'])
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
})

test('returns states of every JSON type unchanged', async () => {
  const user = await query.newUser()
  const states = [
    'null',
    'true',
    'false',
    '0',
    '-1.5e-7',
    '1.7976931348623157e308',
    '""',
    '"\\u0000 \\u2028 \\"🔑\\""',
    '[]',
    '[1,[2,[null]],{}]',
    '{}',
    '{"$set":{"a.b":1},"":null,"_bsontype":"ObjectId","constructor":{"prototype":[]},"z":1,"a":2}',
  ]
  const entries = states.map((state, n) =>
    changeEntryAt(start + n, user.subscriberId, { beforeState: state, afterState: states.at(-1 - n) ?? '' }),
  )
  await query.store.changeEntries.insertNew(entries)
  const { body, json } = await user.get('/change-entries/all')
  expect(body).toBe(`{"data":[${entries.toReversed().map(changeEntryJson).join(',')}]}`)
  expect(json.data.map(({ beforeState }: { beforeState: unknown }) => JSON.stringify(beforeState))).toEqual(
    states.toReversed().map((state) => JSON.stringify(JSON.parse(state))),
  )
  for (const entry of json.data) expect(changeEntrySchema.parse(entry)).toStrictEqual(entry)
})

test.each([1, 999, 1_000, 1_001, 3_456])(
  'returns %s entries as one document, newest first, each once',
  async (count) => {
    const user = await query.newUser()
    const entries = Array.from({ length: count }, (_, n) => changeEntryAt(start + n, user.subscriberId))
    await query.store.changeEntries.insertNew(entries)
    const { status, body } = await user.get('/change-entries/all')
    expect(status).toBe(200)
    expect(body).toBe(`{"data":[${entries.toReversed().map(changeEntryJson).join(',')}]}`)
  },
)

test('returns the same log to every user of the subscriber, and only to them', async () => {
  const anna = await query.newUser()
  const ben = await query.newUser({ subscriberId: anna.subscriberId })
  const elsewhere = await query.newUser({ id: anna.id })
  await query.store.changeEntries.insertNew([changeEntryAt(start, anna.subscriberId)])
  const { json } = await anna.get('/change-entries/all')
  expect(json.data).toHaveLength(1)
  expect((await ben.get('/change-entries/all')).json).toEqual(json)
  expect((await elsewhere.get('/change-entries/all')).json).toEqual({ data: [] })
})

test('rejects a token without the scope', async () => {
  const user = await query.newUser({ scope: 'notifications:create change-entries' })
  const { status, headers, json } = await user.get('/change-entries/all')
  expect([status, json.code]).toEqual([403, 'missing_scope'])
  expect(headers['www-authenticate']).toContain('scope="change-entries:read"')
})
