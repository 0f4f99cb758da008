import { groupPageSchema, markedSchema, notificationPageSchema, seenSchema, unreadCountSchema } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestQuery, notificationAt, type User } from '../query.fixture.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
let query: Awaited<ReturnType<typeof createTestQuery>>
beforeAll(async () => {
  query = await createTestQuery('archive')
  await query.store.migrate()
})
afterAll(() => query?.stop())

/** Stores one notification per second for the user, and returns the ids, oldest first. */
async function fill(user: User, count: number, changes: Parameters<typeof notificationAt>[2] = {}): Promise<string[]> {
  const notifications = Array.from({ length: count }, (_, n) => notificationAt(start + n * 1_000, user, changes))
  await query.store.notifications.insertNew(notifications)
  return notifications.map(({ id }) => id)
}
const list = async (user: User, query: string) => {
  const { status, json } = await user.get(`/?${query}`)
  expect(status).toBe(200)
  expect(notificationPageSchema.parse(json)).toStrictEqual(json)
  return json.data.notifications.map(({ id }: { id: string }) => id)
}

test('archives one and takes it back, which its list, itself and the counts show', async () => {
  const user = await query.newUser()
  const [a = '', b = ''] = await fill(user, 2)
  const archived = await user.patch(`/notifications/${a}/archived`)
  expect(archived.json.data).toMatchObject({ id: a, archivedAt: archived.json.data.readAt })
  expect((await user.get(`/notifications/${a}`)).json).toEqual(archived.json)
  expect([await list(user, ''), await list(user, 'archived=true'), await list(user, 'archived=any')]).toEqual([
    [b],
    [a],
    [b, a],
  ])
  expect((await user.get('/notifications/unread-count')).json.data).toEqual({
    ...{ unreadCount: 1, unseenCount: 1, seenUpTo: null },
  })
  const back = await user.patch(`/notifications/${a}/unarchived`)
  expect(Object.keys(back.json.data)).not.toContain('archivedAt')
  expect(await list(user, 'status=read')).toEqual([a])
})

test('in bulk, by ids, all, what is read, and a location', async () => {
  const user = await query.newUser()
  const [a = '', b = '', c = ''] = await fill(user, 3)
  const [d = ''] = await fill(user, 1, { locationType: 'file' })
  const bulk = async (state: string, body: unknown) => {
    const { status, json } = await user.post(`/notifications/${state}`, body)
    expect(status).toBe(200)
    expect(markedSchema.parse(json)).toStrictEqual(json)
    return json.data
  }
  expect(await bulk('read', { all: true, locationType: 'file' })).toEqual({
    updated: 1,
    unreadCount: 3,
    unseenCount: 3,
  })
  expect(await bulk('archived', { all: true, status: 'read' })).toMatchObject({ updated: 1 })
  expect(await bulk('archived', { ids: [a] })).toEqual({ updated: 1, unreadCount: 2, unseenCount: 2 })
  expect(await bulk('archived', { all: true, upTo: b })).toMatchObject({ updated: 1, unreadCount: 1 })
  expect(await list(user, '')).toEqual([c])
  expect(await bulk('unarchived', { all: true, locationType: 'file' })).toMatchObject({ updated: 1 })
  expect(await list(user, 'status=read')).toEqual([d])
})

test.each([
  ['archived', {}, ''],
  ['archived', { ids: [], all: true }, ''],
  ['archived', { all: true, status: 'unread' }, '/status'],
  ['read', { all: true, status: 'read' }, ''],
  ['unarchived', { all: true, status: 'read' }, ''],
  ['read', { ids: ['01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87'], locationType: 'file' }, '/locationType'],
  ['seen', { upTo: 'x' }, '/upTo'],
  ['seen', { all: true }, ''],
])('POST /notifications/%s with %j is 400', async (state, body, pointer) => {
  const { status, json } = await (await query.newUser()).post(`/notifications/${state}`, body)
  expect([status, json.code]).toEqual([400, 'validation_failed'])
  if (pointer) expect(json.errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer)
})

test('marks as seen without a body, with an empty one, or up to a notification', async () => {
  const user = await query.newUser()
  const ids = await fill(user, 3)
  const upTo = await user.post('/notifications/seen', { upTo: ids[0] })
  expect(seenSchema.parse(upTo.json)).toStrictEqual(upTo.json)
  expect(upTo.json.data).toEqual({ unseenCount: 2, seenUpTo: ids[0] })
  expect((await user.send('POST', '/notifications/seen')).json.data).toEqual({ unseenCount: 0, seenUpTo: ids[2] })
  expect((await user.post('/notifications/seen', {})).status).toBe(200)
  expect((await user.send('POST', '/notifications/seen', {}, '{}')).status).toBe(415)
  const count = await user.get('/notifications/unread-count')
  expect(unreadCountSchema.parse(count.json)).toStrictEqual(count.json)
  expect(count.json.data).toEqual({ unreadCount: 3, unseenCount: 0, seenUpTo: ids[2] })
})

test('lists groups, with a cursor that is checked', async () => {
  const user = await query.newUser()
  const ids = await fill(user, 3)
  const { json } = await user.get('/notifications/groups?limit=2')
  expect(groupPageSchema.parse(json)).toStrictEqual(json)
  expect(json.data.groups.map(({ latest }: { latest: { id: string } }) => latest.id)).toEqual([ids[2], ids[1]])
  const next = await user.get(`/notifications/groups?cursor=${json.data.nextCursor}`)
  expect(next.json.data).toMatchObject({ groups: [{ latest: { id: ids[0] }, count: 1 }], nextCursor: null })
  expect((await user.get(`/notifications/groups?cursor=${json.data.nextCursor.slice(0, 43)}`)).json).toEqual(next.json)
  const tooLong = json.data.nextCursor.padEnd(4_097, 'a')
  for (const wrong of ['limit=51', 'limit=0', 'cursor=x', `cursor=${ids[0]}`, 'status=new', 'type=mention'])
    expect([wrong, (await user.get(`/notifications/groups?${wrong}`)).status]).toEqual([wrong, 400])
  for (const wrong of [tooLong, tooLong.slice(0, 42), `${tooLong.slice(0, 43)}9aaa`])
    expect((await user.get(`/notifications/groups?cursor=${wrong}`)).json.errors).toMatchObject([
      { pointer: '/cursor' },
    ])
})

test('as many groups as there can be come once each, though an older one gets a late notification', async () => {
  const user = await query.newUser()
  const [first = ''] = await fill(user, 1_000)
  const { locationId } = (await user.get(`/notifications/${first}`)).json.data
  const returned: string[] = []
  for (let cursor = ''; ; ) {
    const { status, json } = await user.get(`/notifications/groups?limit=50${cursor}`)
    expect(status).toBe(200)
    returned.push(...json.data.groups.map((group: { locationId: string }) => group.locationId))
    if (json.data.nextCursor === null) break
    if (cursor === '') {
      const late = notificationAt(start + 990_500, user, { locationId })
      await query.store.notifications.insertNew([late])
    }
    cursor = `&cursor=${json.data.nextCursor}`
  }
  expect(returned.indexOf(locationId)).toBe(50)
  expect(new Set(returned).size).toBe(returned.length)
  // The oldest notification left the newest 1,000, but not its group.
  expect(returned).toHaveLength(1_000)
})

test('filters by actor', async () => {
  const user = await query.newUser()
  const actor = { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Ada', image: '' }
  const [a] = await fill(user, 1, { actor })
  await fill(user, 1)
  expect(await list(user, `actorId=${actor.id}`)).toEqual([a])
})
