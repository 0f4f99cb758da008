import { randomUUID } from 'node:crypto'
import { notificationPageSchema } from '@herald/contracts'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestQuery, notificationAt, type User } from '../query.fixture.ts'

type Listed = { readonly id: string; readonly createdAt: string; readonly readAt: string | null }
type Page = { readonly notifications: readonly Listed[]; readonly nextCursor: string | null }

const start = Date.parse('2026-03-01T00:00:00Z')
let query: Awaited<ReturnType<typeof createTestQuery>>

beforeAll(async () => {
  query = await createTestQuery('list')
  await query.store.migrate()
})
afterAll(() => query?.stop())

const at = (n: number) => start + n * 1_000

/** Stores one notification per second for the user, and returns the ids, newest first. */
async function fill(user: User, count: number): Promise<string[]> {
  const notifications = Array.from({ length: count }, (_, n) => notificationAt(at(n), user))
  await query.store.notifications.insertNew(notifications)
  return notifications.map(({ id }) => id).reverse()
}

async function page(user: User, search = ''): Promise<Page> {
  const answer = await user.get(`/?${search}`)
  expect(answer.status).toBe(200)
  return (answer.json as { data: Page }).data
}

const idsOf = ({ notifications }: Page) => notifications.map(({ id }) => id)

test('an empty feed is an empty page', async () => {
  const { status, headers, body } = await (await query.newUser()).get('/')
  expect([status, body]).toEqual([200, '{"data":{"notifications":[],"nextCursor":null}}'])
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
})

test('the response matches the schema of the contract exactly', async () => {
  const user = await query.newUser()
  await fill(user, 3)
  const { json } = await user.get('/?limit=2')
  expect(notificationPageSchema.parse(json)).toStrictEqual(json)
})

describe('pages', () => {
  test.each([
    [7, [7, 7, 7, 4]],
    [5, [5, 5, 5, 5, 5]],
    [25, [25]],
    [100, [25]],
  ])('of %s are consecutive to the end, with each notification once', async (limit, sizes) => {
    const user = await query.newUser()
    const ids = await fill(user, 25)
    const pages = [await page(user, `limit=${limit}`)]
    for (let next = pages[0]?.nextCursor; next; next = pages.at(-1)?.nextCursor) {
      pages.push(await page(user, `limit=${limit}&cursor=${next}`))
    }
    expect(pages.map(({ notifications }) => notifications.length)).toEqual(sizes)
    expect(pages.flatMap(idsOf)).toEqual(ids)
    // Each cursor is the last id of its page, and the last page has none.
    const cursors = pages.slice(0, -1).map(({ notifications }) => notifications.at(-1)?.id)
    expect(pages.map(({ nextCursor }) => nextCursor)).toEqual([...cursors, null])
  })

  test('contain twenty notifications by default', async () => {
    const user = await query.newUser()
    const ids = await fill(user, 21)
    expect(idsOf(await page(user))).toEqual(ids.slice(0, 20))
  })

  test('continue at the cursor after new notifications, and with a cursor in upper case', async () => {
    const user = await query.newUser()
    const ids = await fill(user, 10)
    const { nextCursor } = await page(user, 'limit=4')
    await query.store.notifications.insertNew([notificationAt(at(99), user)])
    expect(idsOf(await page(user, `cursor=${nextCursor}`))).toEqual(ids.slice(4))
    expect(idsOf(await page(user, `cursor=${nextCursor?.toUpperCase()}`))).toEqual(ids.slice(4))
  })

  test('accept any UUID as a cursor', async () => {
    const user = await query.newUser()
    const ids = await fill(user, 3)
    expect(idsOf(await page(user, 'cursor=ffffffff-ffff-ffff-ffff-ffffffffffff'))).toEqual(ids)
    expect(idsOf(await page(user, 'cursor=00000000-0000-0000-0000-000000000000'))).toEqual([])
    const [foreign = ''] = await fill(await query.newUser(), 2)
    expect(idsOf(await page(user, `cursor=${foreign}`))).toEqual(ids.filter((id) => id < foreign))
  })
})

describe('filters', () => {
  let user: User
  let ids: string[]
  const [place, subject] = [randomUUID(), randomUUID()]

  beforeAll(async () => {
    user = await query.newUser()
    const notifications = [
      notificationAt(at(0), user, { locationType: 'file' }),
      notificationAt(at(1), user, { locationType: 'file', locationId: place }),
      notificationAt(at(2), user, { locationId: place, subjectId: subject }),
      notificationAt(at(3), user, { subjectId: subject }),
    ]
    await query.store.notifications.insertNew(notifications)
    ids = notifications.map(({ id }) => id)
    await user.patch(`/notifications/${ids[1]}/read`)
    await user.patch(`/notifications/${ids[3]}/read`)
  })

  test.each([
    ['status=all', [3, 2, 1, 0]],
    ['status=unread', [2, 0]],
    ['status=read', [3, 1]],
    ['type=mention', [3, 2, 1, 0]],
    ['locationType=file', [1, 0]],
    ['locationType=file%20comment', []],
    [`locationId=${place}`, [2, 1]],
    [`locationId=${place.toUpperCase()}`, [2, 1]],
    [`subjectId=${subject}`, [3, 2]],
    [`subjectId=${randomUUID()}`, []],
    ['createdFrom=2026-03-01T00:00:02Z', [3, 2]],
    ['createdTo=2026-03-01T00:00:02Z', [1, 0]],
    ['createdFrom=2026-03-01T00:00:01Z&createdTo=2026-03-01T00:00:03Z', [2, 1]],
    ['createdFrom=2026-03-01T00:00:01.001Z', [3, 2]],
    ['createdFrom=2026-03-01T02:00:02%2B02:00', [3, 2]],
    ['createdFrom=2026-03-02T00:00:00Z&createdTo=2026-03-01T00:00:00Z', []],
    [`status=read&locationType=file&locationId=${place}`, [1]],
    [`status=unread&type=mention&locationId=${place}&subjectId=${subject}`, [2]],
    [`status=unread&createdFrom=2026-03-01T00:00:01Z`, [2]],
  ])('%s', async (search, expected) => {
    expect(idsOf(await page(user, search))).toEqual(expected.map((n) => ids[n]))
  })

  test('apply to every page', async () => {
    const first = await page(user, 'status=read&limit=1')
    expect(first).toMatchObject({ notifications: [{ id: ids[3] }], nextCursor: ids[3] })
    const second = await page(user, `status=read&limit=1&cursor=${first.nextCursor}`)
    expect(second).toMatchObject({ notifications: [{ id: ids[1] }], nextCursor: null })
  })

  test('createdTo and a cursor both limit the page', async () => {
    expect(idsOf(await page(user, `cursor=${ids[3]}&createdTo=2026-03-01T00:00:02Z`))).toEqual([ids[1], ids[0]])
    expect(idsOf(await page(user, `cursor=${ids[1]}&createdTo=2026-03-01T00:00:03Z`))).toEqual([ids[0]])
  })
})

describe('an invalid query', () => {
  const refusal = async (search: string) => {
    const { status, headers, json } = await (await query.newUser()).get(`/?${search}`)
    expect([status, json.code]).toEqual([400, 'validation_failed'])
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    return (json.errors as { pointer: string }[]).map(({ pointer }) => pointer).sort()
  }

  test('reports all errors at once', async () => {
    const search = `limit=0&cursor=x&status=seen&type=like&locationType=user&locationId=1&subjectId=&createdFrom=2026&createdTo=now&page=2`
    const names = ['createdFrom', 'createdTo', 'cursor', 'limit', 'locationId', 'locationType', 'page', 'status']
    expect(await refusal(search)).toEqual([...names, 'subjectId', 'type'].map((name) => `/${name}`))
  })

  test.each([
    ['limit=5&limit=5', '/limit'],
    ['status=read&status=unread', '/status'],
    ['limit[]=5', '/limit[]'],
    ['limit=101', '/limit'],
    ['limit=-1', '/limit'],
    ['limit=', '/limit'],
    ['limit=1e1', '/limit'],
    ['Limit=5', '/Limit'],
    ['subscriberId=6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9', '/subscriberId'],
    ['recipientId=6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9', '/recipientId'],
    ['cursor={"$gt":""}', '/cursor'],
    ['__proto__=1', '/__proto__'],
    ['constructor=1', '/constructor'],
  ])('%s returns an error at %s', async (search, pointer) => {
    expect(await refusal(search)).toEqual([pointer])
  })
})
