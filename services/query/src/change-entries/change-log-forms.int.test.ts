import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { StoredChangeEntry } from '@herald/change-log'
import { changeEntryPageSchema } from '@herald/contracts'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { changeEntryAt, changeEntryJson, createTestQuery, type User } from '../query.fixture.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const [userId, otherUserId] = [randomUUID(), randomUUID()]
let query: Awaited<ReturnType<typeof createTestQuery>>
let user: User
/** Oldest first. */
let entries: StoredChangeEntry[]

beforeAll(async () => {
  query = await createTestQuery('change-log-forms')
  await query.store.migrate()
  user = await query.newUser()
  const by = (id: string) => ({ id, name: 'Ada', email: 'ada@example.com' })
  entries = [
    changeEntryAt(start, user.subscriberId, { user: by(userId) }),
    changeEntryAt(start + 1_000, user.subscriberId, { user: by(otherUserId), entityId: 'p-2' }),
    changeEntryAt(start + 2_000, user.subscriberId, {
      user: by(userId),
      entityType: 'file',
      actionType: 'delete',
      changedField: '',
    }),
    changeEntryAt(start + 3_000, user.subscriberId, { user: by(userId), changedField: 'a "b", c', entityId: 'p-2' }),
  ]
  await query.store.changeEntries.insertNew([...entries, changeEntryAt(start, randomUUID())])
})
afterAll(() => query?.stop())

const idsAt = (...indexes: readonly number[]) => indexes.map((n) => entries[n]?.id)
const idsIn = (listed: readonly { readonly id: string }[]) => listed.map(({ id }) => id)

test.each([
  ['', [3, 2, 1, 0]],
  ['entityId=p-2', [3, 1]],
  ['entityType=file', [2]],
  ['actionType=update', [3, 1, 0]],
  ['changedField=a%20%22b%22%2C%20c', [3]],
  ['changedField=', [2]],
  [`userId=${userId}`, [3, 2, 0]],
  [`userId=${otherUserId.toUpperCase()}`, [1]],
  [`userId=${userId}&entityId=p-2`, [3]],
  ['createdFrom=2026-03-01T00:00:01Z&createdTo=2026-03-01T00:00:03Z', [2, 1]],
  ['entityId=p-2&createdTo=2026-03-01T00:00:02Z', [1]],
  ['entityId=p-9', []],
])('the filter %j applies to the export and to pages', async (search, expected) => {
  const all = await user.get(`/change-entries/all?${search}`)
  expect(idsIn(all.json.data)).toEqual(idsAt(...expected))
  const page = await user.get(`/change-entries?${search}`)
  expect(idsIn(page.json.data.changeEntries)).toEqual(idsAt(...expected))
  expect(changeEntryPageSchema.parse(page.json)).toStrictEqual(page.json)
})

test('pages are consecutive, and an unknown cursor is accepted', async () => {
  const first = (await user.get('/change-entries?limit=3')).json.data
  expect([idsIn(first.changeEntries), first.nextCursor]).toEqual([idsAt(3, 2, 1), entries[1]?.id])
  const second = (await user.get(`/change-entries?limit=3&cursor=${first.nextCursor}`)).json.data
  expect([idsIn(second.changeEntries), second.nextCursor]).toEqual([idsAt(0), null])
  const all = (await user.get('/change-entries?cursor=ffffffff-ffff-ffff-ffff-ffffffffffff')).json.data
  expect(idsIn(all.changeEntries)).toEqual(idsAt(3, 2, 1, 0))
})

test.each([
  ['/change-entries?limit=0&cursor=x&userId=y&page=1', ['/cursor', '/limit', '/page', '/userId']],
  ['/change-entries/all?limit=5&cursor=x&createdFrom=z', ['/createdFrom', '/cursor', '/limit']],
  ['/change-entries/all?entityId=a&entityId=b', ['/entityId']],
])('%s returns 400', async (path, pointers) => {
  const { status, json } = await user.get(path)
  expect(status).toBe(400)
  expect(json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(pointers)
})

test('pages require the scope, and only contain entries of the subscriber', async () => {
  const { subscriberId } = user
  const without = await query.newUser({ subscriberId, scope: 'notifications:create' })
  expect((await without.get('/change-entries')).json.code).toBe('missing_scope')
  const elsewhere = await query.newUser()
  expect((await elsewhere.get('/change-entries')).json).toEqual({ data: { changeEntries: [], nextCursor: null } })
})

describe('the export format', () => {
  const whole = () => `{"data":[${entries.toReversed().map(changeEntryJson).join(',')}]}`

  test.each(['application/json', '*/*', 'text/html', 'application/json, text/csv;q=0.5'])(
    'for %s is JSON',
    async (accept) => {
      const { headers, body } = await user.fetch('/change-entries/all', { accept })
      expect([headers['content-type'], body]).toEqual(['application/json; charset=utf-8', whole()])
    },
  )

  test('for application/x-ndjson is one line per entry', async () => {
    const { headers, body } = await user.fetch('/change-entries/all', { accept: 'application/x-ndjson' })
    expect(headers['content-type']).toMatch(/^application\/x-ndjson/)
    expect(body).toBe(
      entries
        .toReversed()
        .map((entry) => `${changeEntryJson(entry)}\n`)
        .join(''),
    )
  })

  test('for text/csv is a header and one row per entry', async () => {
    const { headers, body } = await user.fetch('/change-entries/all', { accept: 'text/csv' })
    expect(headers['content-type']).toMatch(/^text\/csv/)
    const [head, first, ...more] = body.split('\r\n')
    expect(head?.split(',')).toEqual([
      ...['id', 'userId', 'userName', 'userEmail', 'entityType', 'entityId', 'entityTitle', 'actionType'],
      ...['changedField', 'createdAt', 'beforeState', 'afterState'],
    ])
    expect(first).toContain('"a ""b"", c",2026-03-01T00:00:03Z,null,"""new"""')
    expect(more).toHaveLength(4)
  })

  test('is the same when compressed with gzip', async () => {
    const { headers, rawPayload } = await user.fetch('/change-entries/all', { 'accept-encoding': 'gzip' })
    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept, Accept-Encoding'])
    expect(gunzipSync(rawPayload).toString()).toBe(whole())
  })

  test('is empty for an empty log', async () => {
    const emptyUser = await query.newUser()
    const bodyOf = async (accept: string) => (await emptyUser.fetch('/change-entries/all', { accept })).body
    expect(await bodyOf('application/x-ndjson')).toBe('')
    expect((await bodyOf('text/csv')).split('\r\n')).toHaveLength(2)
  })
})

test('escapes cells that a spreadsheet would interpret as formulas', async () => {
  const author = await query.newUser()
  const entry = changeEntryAt(start, author.subscriberId, { entityTitle: '=HYPERLINK("x")', changedField: '@x' })
  await query.store.changeEntries.insertNew([entry])
  const { body } = await author.fetch('/change-entries/all', { accept: 'text/csv' })
  expect(body).toContain(`"'=HYPERLINK(""x"")"`)
  expect(body).toContain("'@x")
})
