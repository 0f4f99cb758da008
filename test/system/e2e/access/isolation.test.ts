import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { change, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import type { Answer } from '../support/http-client.ts'
import { createFor, dataOf, newStrangers } from '../support/notifications.ts'
import { expectProblem } from '../support/problem.ts'
import type { Page } from '../support/spec-shapes.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

/** The comparable content of a response: everything but the instance and the id. */
const comparable = (answer: Answer, id: string) => {
  const { instance: _, ...document } = expectProblem(answer, 404, 'not_found')
  const headers = [...answer.headers.keys()].sort()
  return JSON.stringify({ document, headers }).replaceAll(id, '<id>')
}

test.each([
  ['GET', ''],
  ['PATCH', '/read'],
  ['PATCH', '/unread'],
  ['PATCH', '/archived'],
  ['PATCH', '/unarchived'],
])(
  '%s /notifications/{id}%s returns the same 404 for another user’s notification as for an unknown id',
  async (method, rest) => {
    const owner = await herald.newUser()
    const id = await createFor(owner)
    const before = (await owner.get(`/notifications/${id}`)).json
    const missing = randomUUID()

    const strangers = await newStrangers(herald, owner)
    for (const stranger of strangers) {
      const request = (notificationId: string) => stranger.send(`/notifications/${notificationId}${rest}`, { method })
      expect(comparable(await request(id), id)).toBe(comparable(await request(missing), missing))
      expect((await stranger.get('/')).json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
    }
    expect((await owner.get(`/notifications/${id}`)).json).toStrictEqual(before)
  },
)

test('naming another subscriber or user in a header, query or body gives no access', async () => {
  const owner = await herald.newUser()
  await createFor(owner)
  const stranger = await herald.newUser()
  const named = { 'x-subscriber-id': owner.subscriberId, 'x-user-id': owner.id, subscriber_id: owner.subscriberId }
  const answer = await stranger.send('/', { headers: named })
  expect(answer.json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
  expect((await stranger.get(`/?subscriberId=${owner.subscriberId}`)).status).toBe(400)
  const posted = await stranger.post('/', { ...createBody([owner.id]), subscriberId: owner.subscriberId })
  expect(posted.status).toBe(400)
})

test('a recipient id of another subscriber receives nothing', async () => {
  const [author, elsewhere] = [await herald.newUser(), await herald.newUser()]
  await author.post('/', createBody([elsewhere.id]))
  expect((await elsewhere.get('/')).json).toStrictEqual({ data: { notifications: [], nextCursor: null } })
})

test('a bulk mark ignores another user’s notifications as it ignores unknown ids', async () => {
  const owner = await herald.newUser()
  const id = await createFor(owner)
  const strangers = await newStrangers(herald, owner)
  for (const stranger of strangers) {
    for (const state of ['read', 'archived', 'unarchived']) {
      for (const body of [{ ids: [id] }, { ids: [randomUUID()] }, { all: true }, { all: true, upTo: id }]) {
        const answer = await stranger.post(`/notifications/${state}`, body)
        expect([answer.status, answer.json]).toEqual([200, { data: { updated: 0, unreadCount: 0, unseenCount: 0 } }])
      }
    }
  }
  expect((await owner.get('/notifications/unread-count')).json).toMatchObject({ data: { unreadCount: 1 } })
})

test('what another user has archived, seen, muted or grouped is nobody else’s', async () => {
  const owner = await herald.newUser()
  const id = await createFor(owner)
  const location = dataOf<{ locationId: string }>(await owner.get(`/notifications/${id}`)).locationId
  await owner.send('/notifications/seen', { method: 'POST' })
  await owner.send(`/mutes/location/${location}`, { method: 'PUT', json: {} })
  await createFor(owner)
  const { nextCursor } = dataOf<{ nextCursor: string }>(await owner.get('/notifications/groups?limit=1'))
  const nothing = { groups: [], nextCursor: null, truncated: false }
  for (const stranger of await newStrangers(herald, owner)) {
    expect((await stranger.get('/mutes')).json).toEqual({ data: { mutes: [] } })
    expect((await stranger.send(`/mutes/location/${location}`, { method: 'DELETE' })).status).toBe(204)
    expect((await stranger.post('/notifications/seen', { upTo: id })).json).toEqual({
      data: { unseenCount: 0, seenUpTo: null },
    })
    for (const query of ['', `?cursor=${nextCursor}`])
      expect((await stranger.get(`/notifications/groups${query}`)).json).toEqual({ data: nothing })
    for (const archived of ['true', 'any'])
      expect(dataOf<Page>(await stranger.get(`/?archived=${archived}`)).notifications).toEqual([])
  }
  expect((await owner.get('/mutes')).json).toMatchObject({ data: { mutes: [{ id: location }] } })
  expect((await owner.get('/notifications/unread-count')).json).toMatchObject({ data: { seenUpTo: id } })
})

test('another user’s notification as a cursor is only a position in time', async () => {
  const [owner, stranger] = [await herald.newUser(), await herald.newUser()]
  await createFor(stranger)
  const id = await createFor(owner)
  const older = await stranger.get(`/?cursor=${id}`)
  expect(dataOf<Page>(older).notifications).toHaveLength(1)
  expect(older.text).not.toContain(owner.id)
})

test('only the subscriber’s users read its change log, in every format, page and filter', async () => {
  const scope = 'change-entries:read'
  const reader = await herald.newUser({ scope })
  const strangers = [await herald.newUser({ scope }), await herald.newUser({ scope, id: reader.id })]
  const sameLog = await herald.newUser({ scope, subscriberId: reader.subscriberId })
  const entry = change({ subscriberid: reader.subscriberId })
  await herald.publish(herald.topics.change, [structured(entry)])
  const paths = ['/change-entries', '/change-entries/all', '/change-entries/all?entityId=portfolio-1']
  const { id: userId } = entry.data.user as { id: string }
  paths.push(`/change-entries?userId=${userId}`, `/change-entries/all?userId=${userId}`)
  await eventually(async () => (await reader.get('/change-entries/all')).text.includes('portfolio-1'))
  for (const path of paths) {
    expect((await sameLog.get(path)).text).toContain('portfolio-1')
    for (const other of strangers) {
      for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
        const answer = await other.send(path, { headers: { accept } })
        expect([answer.status, answer.text.includes('portfolio-1')]).toEqual([200, false])
      }
    }
  }
})
