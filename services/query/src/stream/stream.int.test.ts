import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { notificationSchema } from '@herald/contracts'
import { startGateway } from '@herald/local-herald'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { notificationAt } from '../query.fixture.ts'
import { createStreamTest, type OpenStream, openStream, type StartedQuery, type StreamTest } from './stream.fixture.ts'

let world: StreamTest
let query: StartedQuery

beforeAll(async () => {
  world = await createStreamTest('open')
  query = await world.start({ heartbeatMs: 400 })
})
afterAll(() => world?.end())

const newUser = (subscriberId = randomUUID()) => ({ id: randomUUID(), subscriberId })
type User = ReturnType<typeof newUser>

const open = async (user: User, lastEventId?: string) => openStream(query.url, await world.token(user), lastEventId)
const feedOf = (user: User) => world.store.notifications.of({ subscriberId: user.subscriberId, recipientId: user.id })

async function notify(users: readonly [User, ...User[]], count = 1): Promise<string[]> {
  const recipientIds = users.map(({ id }) => id)
  const some = Array.from({ length: count }, (_, n) => notificationAt(Date.now() + n, users[0], { recipientIds }))
  for (const one of some) await world.store.notifications.insertNew([one])
  return some.map(({ id }) => id)
}

/** Waits until the last sent count is this one. */
async function untilCount(stream: OpenStream, unreadCount: number): Promise<void> {
  const received = () => stream.named('unread-count').at(-1)?.data
  for (let n = 0; n < 3_000 && received() !== JSON.stringify({ unreadCount, unseenCount: unreadCount }); n++)
    await wait(10)
  expect(received()).toBe(JSON.stringify({ unreadCount, unseenCount: unreadCount }))
}

describe('a stream', () => {
  test('has headers that prevent caching, compression and buffering', async () => {
    const stream = await open(newUser())
    expect(stream.response.status).toBe(200)
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
      'x-request-id': expect.any(String),
    })
    await stream.close()
  })

  test('requires a token, rejects unknown queries, and is not opened by HEAD', async () => {
    const url = `${query.url}/notifications/stream`
    const opened = async () =>
      (await query.metric('herald_streams_open')) + (await query.metric('herald_streams_ended_total'))
    const before = await opened()
    const none = await fetch(url)
    expect([none.status, none.headers.get('content-type')]).toEqual([401, 'application/problem+json; charset=utf-8'])
    const headers = { authorization: `Bearer ${await world.token(newUser())}` }
    expect((await fetch(`${url}?lastId=1`, { headers })).status).toBe(400)
    const head = await fetch(url, { method: 'HEAD', headers })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(await head.text()).toBe('')
    const post = await fetch(url, { method: 'POST', headers })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await opened()).toBe(before)
  })

  test('begins with an id and the unread count', async () => {
    const user = newUser()
    await notify([user], 3)
    const stream = await open(user)
    const [count] = await stream.until('unread-count')
    expect(count?.data).toBe('{"unreadCount":3,"unseenCount":3}')
    expect(stream.events[0]).toMatchObject({ event: 'heartbeat', data: '{}' })
    expect(stream.events[0]?.lastEventId).toMatch(/^[\w-]{100,300}$/)
    await stream.close()
  })
})

describe('events', () => {
  test('are sent for new notifications, in order, in the format of the specification, only to recipients', async () => {
    const [ada, bob] = [newUser(), newUser()]
    const eve = { id: ada.id, subscriberId: randomUUID() }
    const streams = await Promise.all([ada, bob, eve].map((user) => open(user)))
    const [forAda, forBob, forEve] = streams
    for (const stream of streams) await stream.until('unread-count')
    const adas = await notify([ada], 20)
    const both = await notify([ada, { ...bob, subscriberId: ada.subscriberId }])
    const bobs = await notify([bob], 2)
    await forAda?.until('notification', 21)
    await forBob?.until('notification', 2)
    expect(forAda?.notificationIds()).toEqual([...adas, ...both])
    expect(forBob?.notificationIds()).toEqual(bobs)
    expect(forEve?.notificationIds()).toEqual([])
    const data = JSON.parse(forAda?.named('notification')[0]?.data ?? '')
    expect(notificationSchema.safeParse(data).success).toBe(true)
    expect(data).toMatchObject({ readAt: null, subscriberId: ada.subscriberId })
    for (const stream of streams) await stream.close()
  })

  test('are sent for single marks, and once for a bulk mark; the count follows', async () => {
    const user = newUser()
    const [id = '', ...others] = await notify([user], 4)
    const stream = await open(user)
    await stream.until('unread-count')
    const at = new Date('2026-03-01T10:00:00.900Z')
    await feedOf(user).markRead(id, at)
    await feedOf(user).markUnread(id, at)
    await feedOf(user).markMany('read', { ids: [...others, id] }, at)
    const received = (await stream.until('read-state', 3)).map(({ data }) => JSON.parse(data))
    expect(received).toEqual([
      { ids: [id], readAt: '2026-03-01T10:00:00Z' },
      { ids: [id], readAt: null },
      { ids: expect.arrayContaining([id, ...others]), readAt: '2026-03-01T10:00:00Z' },
    ])
    await untilCount(stream, 0)
    await wait(300)
    expect(stream.named('read-state')).toHaveLength(3)
    await stream.close()
  })

  test('are sent for retractions, live and on resuming, followed by the count; none for the deletion itself', async () => {
    const [user, other] = [newUser(), newUser()]
    other.subscriberId = user.subscriberId
    const [stream, forOther] = [await open(user), await open(other)]
    await stream.until('unread-count')
    const [id = '', kept = ''] = await notify([user, other], 2)
    // A stream's first id can be older than what was stored just before: this one follows both notifications.
    const lastEventId = (await stream.until('notification', 2)).at(-1)?.lastEventId
    await untilCount(stream, 2)
    await forOther.until('notification', 2)
    const time = new Date()
    const retraction = { subscriberId: user.subscriberId, eventId: randomUUID(), time, target: { notificationId: id } }
    await world.store.retractions.apply([{ ...retraction, recipientIds: [user.id] }])
    const [received] = await stream.until('retracted')
    expect(JSON.parse(received?.data ?? '')).toEqual({ ids: [id] })
    await untilCount(stream, 1)
    await feedOf(user).markRead(kept, time)
    await stream.until('read-state')
    expect(stream.events.filter(({ event }) => event === 'retracted')).toHaveLength(1)
    expect(forOther.named('retracted')).toEqual([])
    const resumed = await open(user, lastEventId)
    await resumed.until('heartbeat')
    expect(resumed.events.map(({ event }) => event).slice(0, 3)).toEqual(['retracted', 'read-state', 'heartbeat'])
    for (const one of [stream, forOther, resumed]) await one.close()
  })

  test('name no ids for a bulk mark of more than 1,000', async () => {
    const user = newUser()
    const many = Array.from({ length: 1_001 }, (_, n) => notificationAt(Date.now() + n, user))
    await world.store.notifications.insertNew(many)
    const stream = await open(user)
    await stream.until('unread-count')
    await feedOf(user).markMany('read', { all: true }, new Date())
    const [received] = await stream.until('read-state')
    expect(JSON.parse(received?.data ?? '')).toEqual({ all: true, upTo: many.at(-1)?.id, readAt: expect.any(String) })
    await untilCount(stream, 0)
    await stream.close()
  })

  test('are not sent for e-mail receipts; a burst causes a few counts, the last of them exact', async () => {
    const user = newUser()
    const stream = await open(user)
    await stream.until('unread-count')
    const some = Array.from({ length: 100 }, (_, n) => notificationAt(Date.now() + n, user))
    await world.store.notifications.insertNew(some)
    await stream.until('notification', 100)
    const receipt = {
      recipientId: user.id,
      subscriberId: user.subscriberId,
      notificationId: some[0]?.id ?? '',
      record: '',
    }
    await world.store.receipts.apply([{ ...receipt, kind: 'email-sent', eventId: randomUUID(), at: new Date() }], {
      now: new Date(),
      group: 'test',
    })
    await untilCount(stream, 100)
    await wait(500)
    expect(stream.named('read-state')).toEqual([])
    expect(stream.named('unread-count').length).toBeLessThanOrEqual(4)
    await stream.close()
  })

  test('include heartbeats whose ids advance with the changes of other users', async () => {
    const stream = await open(newUser())
    await stream.until('heartbeat', 2)
    await notify([newUser()], 3)
    await stream.until('heartbeat', 5)
    const id = stream.lastEventId()
    expect(new Set(stream.named('heartbeat').map(({ lastEventId }) => lastEventId)).size).toBeGreaterThanOrEqual(5)
    await stream.close()
    expect(id).not.toBe('')
  })
})

describe('a stream ends', () => {
  test('with the token, after an event', async () => {
    const user = newUser()
    const stream = await openStream(query.url, await world.token(user, 2))
    await stream.done
    expect(stream.outcome()).toBe('ended')
    expect(stream.events.at(-1)).toMatchObject({ event: 'expired', data: '{}' })
    expect(await query.metric('herald_streams_ended_total', 'expired')).toBeGreaterThan(0)
  })

  test('with the service, together with all others', async () => {
    const other = await world.start()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => world.token(newUser())))
    const streams = await Promise.all(tokens.map((token) => openStream(other.url, token)))
    await Promise.all(streams.map((stream) => stream.until('unread-count')))
    await other.stop()
    await Promise.all(streams.map(({ done }) => done))
    for (const stream of streams) {
      expect([stream.outcome(), stream.events.at(-1)?.event]).toEqual(['ended', 'closing'])
    }
  })

  test('with the client, without leaving anything open', async () => {
    const other = await world.start({ lingerMs: 100 })
    const stream = await openStream(other.url, await world.token(newUser()))
    await stream.until('unread-count')
    expect(await other.metric('herald_streams_open')).toBe(1)
    await stream.close()
    while ((await other.metric('herald_streams_open')) > 0) await wait(10)
    expect(await other.metric('http_request_duration_seconds_count', 'stream",status="200"')).toBe(0)
    await wait(300)
    const again = await openStream(other.url, await world.token(newUser()))
    await again.until('unread-count')
    expect(await other.metric('herald_change_streams_total', 'live')).toBe(2)
    await again.close()
  })
})

test('works through a gateway, and neither end stays open when the other closes', async () => {
  const other = await world.start({ heartbeatMs: 200 })
  const gateway = await startGateway({ ingestUrl: 'http://127.0.0.1:1', queryUrl: other.url })
  const user = newUser()
  const streams = [
    await openStream(gateway.url, await world.token(user)),
    await openStream(gateway.url, await world.token(user)),
  ]
  const [leaves, stays] = streams
  for (const stream of streams) await stream.until('unread-count')
  const ids = await notify([user], 3)
  await leaves?.until('notification', 3)
  await leaves?.close()
  while ((await other.metric('herald_streams_open')) > 1) await wait(10)
  await other.stop()
  await stays?.done
  expect([stays?.outcome(), stays?.events.at(-1)?.event, stays?.notificationIds()]).toEqual(['ended', 'closing', ids])
  await gateway.stop()
})

describe('the number of open streams is limited', () => {
  const startWith = (environment: Record<string, string>) => world.start({}, undefined, environment)

  test('per user, even for concurrent requests', async () => {
    const other = await startWith({ MAX_STREAMS: '160' })
    const token = await world.token(newUser())
    const streams = await Promise.all(Array.from({ length: 10 }, () => openStream(other.url, token)))
    const refused = streams.filter(({ response }) => response.status !== 200)
    expect(refused.map(({ response }) => [response.status, response.headers.get('retry-after')])).toEqual(
      Array.from({ length: 8 }, () => [429, '5']),
    )
    expect(await other.metric('herald_streams_open')).toBe(2)
    for (const stream of streams) await stream.close()
    while ((await other.metric('herald_streams_open')) > 0) await wait(10)
    const again = await openStream(other.url, token)
    expect(again.response.status).toBe(200)
    await again.close()
  })

  test('for all users of a process', async () => {
    const other = await startWith({ MAX_STREAMS: '3' })
    const tokens = await Promise.all(Array.from({ length: 5 }, () => world.token(newUser())))
    const streams = await Promise.all(tokens.map((token) => openStream(other.url, token)))
    expect(streams.filter(({ response }) => response.status === 503)).toHaveLength(2)
    for (const stream of streams) await stream.close()
  })
})

test('200 streams share one change stream', async () => {
  const other = await world.start()
  const users = Array.from({ length: 200 }, () => newUser())
  const streams = await Promise.all(users.map(async (user) => openStream(other.url, await world.token(user))))
  await Promise.all(streams.map((stream) => stream.until('unread-count')))
  for (const user of users) await notify([user])
  await Promise.all(streams.map((stream) => stream.until('notification')))
  expect(await other.metric('herald_streams_open')).toBe(200)
  expect(await other.metric('herald_change_streams_total')).toBe(1)
  for (const stream of streams) expect(stream.named('notification')).toHaveLength(1)
  await Promise.all(streams.map((stream) => stream.close()))
})
