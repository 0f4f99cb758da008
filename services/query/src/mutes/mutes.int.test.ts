import { randomUUID } from 'node:crypto'
import { mutesSchema } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestQuery, notificationAt } from '../query.fixture.ts'

let query: Awaited<ReturnType<typeof createTestQuery>>
beforeAll(async () => {
  query = await createTestQuery('mutes')
  await query.store.migrate()
})
afterAll(() => query?.stop())

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test('a mute is set, replaced, listed last set first and removed', async () => {
  const user = await query.newUser()
  const set = await user.put(`/mutes/location/${id.toUpperCase()}`, {})
  expect([set.status, set.json]).toEqual([200, { data: { kind: 'location', id, until: null } }])
  const until = inAnHour()
  const shown = `${until.slice(0, 19)}Z`
  expect((await user.put(`/mutes/actor/${id}`, { until })).json).toEqual({ data: { kind: 'actor', id, until: shown } })
  const { json } = await user.get('/mutes')
  expect(mutesSchema.parse(json)).toStrictEqual(json)
  expect(json.data.mutes).toEqual([
    { kind: 'actor', id, until: shown },
    { kind: 'location', id, until: null },
  ])
  await user.put(`/mutes/location/${id}`, { until: null })
  expect((await user.get('/mutes')).json.data.mutes.map(({ kind }: { kind: string }) => kind)).toEqual([
    'location',
    'actor',
  ])
  for (const time of ['first', 'second']) {
    const { status, body } = await user.delete(`/mutes/location/${id}`)
    expect([time, status, body]).toEqual([time, 204, ''])
  }
  expect((await user.get('/mutes')).json.data.mutes).toHaveLength(1)
})

test.each([
  ['PUT', '/mutes/subject/ID', {}, '/kind'],
  ['PUT', '/mutes/location/nope', {}, '/id'],
  ['PUT', '/mutes/location/ID', { until: '2020-01-01T00:00:00Z' }, '/until'],
  ['PUT', '/mutes/location/ID', { until: 'soon' }, '/until'],
  ['PUT', '/mutes/location/ID', { since: null }, '/since'],
  ['DELETE', '/mutes/subject/ID', undefined, '/kind'],
] as const)('%s %s with %j is 400 at %s', async (method, path, body, pointer) => {
  const user = await query.newUser()
  const url = path.replace('ID', id)
  const { status, json } = method === 'PUT' ? await user.put(url, body) : await user.delete(url)
  expect([status, json.code, json.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([
    400,
    'validation_failed',
    [pointer],
  ])
  expect((await user.get('/mutes')).json.data.mutes).toEqual([])
})

test('needs a body with JSON to mute', async () => {
  const user = await query.newUser()
  expect((await user.send('PUT', `/mutes/location/${id}`)).status).toBe(415)
  const json = { 'content-type': 'application/json' }
  expect((await user.send('PUT', `/mutes/location/${id}`, json, '')).json.code).toBe('invalid_json')
})

test('the 501st is refused, and named', async () => {
  const user = await query.newUser()
  const owner = { subscriberId: user.subscriberId, recipientId: user.id }
  const mutes = query.store.mutes.of(owner)
  for (let n = 0; n < 500; n++) await mutes.set({ kind: 'location', id: randomUUID() }, undefined, new Date())
  const { status, json } = await user.put(`/mutes/location/${id}`, {})
  expect([status, json.code]).toEqual([409, 'too_many_mutes'])
  expect((await user.get('/mutes')).json.data.mutes).toHaveLength(500)
})

test('are a user’s own, and nobody’s else: not another’s of the subscriber, nor the same user’s of another', async () => {
  const anna = await query.newUser()
  await anna.put(`/mutes/location/${id}`, {})
  for (const other of [
    await query.newUser({ subscriberId: anna.subscriberId }),
    await query.newUser({ id: anna.id }),
  ]) {
    expect((await other.get('/mutes')).json.data.mutes).toEqual([])
    await other.delete(`/mutes/location/${id}`)
    await query.store.notifications.insertNew([notificationAt(Date.now(), other, { locationId: id })])
    expect((await other.get('/notifications/unread-count')).json.data.unreadCount).toBe(1)
  }
  expect((await anna.get('/mutes')).json.data.mutes).toHaveLength(1)
  await query.store.notifications.insertNew([notificationAt(Date.now(), anna, { locationId: id })])
  expect((await anna.get('/notifications/unread-count')).json.data.unreadCount).toBe(0)
})
