import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ownerKey } from '@herald/feed'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { notificationAt } from '../query.fixture.ts'
import { createEventIds } from './event-id.ts'
import { createStreamTest, openStream, type StartedQuery, type StreamTest } from './stream.fixture.ts'

let world: StreamTest
let query: StartedQuery
/** Whoever left before all other tests, and when. */
let early: Awaited<ReturnType<typeof seen>> & { at: number }

beforeAll(async () => {
  world = await createStreamTest('resume')
  query = await world.start({ heartbeatMs: 300, maxResumeMs: 60 * 60 * 1_000 })
  early = { ...(await seen(2)), at: Date.now() }
})
afterAll(() => world?.end())

const newUser = () => ({ id: randomUUID(), subscriberId: randomUUID() })
type User = ReturnType<typeof newUser>

const open = async (user: User, lastEventId?: string, service = query) =>
  openStream(service.url, await world.token(user), lastEventId)

async function notify(user: User, count = 1): Promise<string[]> {
  const some = Array.from({ length: count }, () => notificationAt(Date.now(), user))
  for (const one of some) await world.store.notifications.insertNew([one])
  return some.map(({ id }) => id)
}

/** A user who has received this many notifications, with the id of each event. */
async function seen(count: number, service = query) {
  const user = newUser()
  const stream = await open(user, undefined, service)
  await stream.until('unread-count')
  const ids = await notify(user, count)
  const events = await stream.until('notification', count)
  await stream.close()
  return { user, ids, eventIds: events.map(({ lastEventId }) => lastEventId) }
}

test('resumes after any event with exactly those that follow it', async () => {
  const { user, ids, eventIds } = await seen(12)
  await Promise.all(
    [0, 1, 5, 10, 11].map(async (last) => {
      const stream = await open(user, eventIds[last])
      await stream.until('heartbeat')
      expect(stream.notificationIds()).toEqual(ids.slice(last + 1))
      // The first heartbeat follows the missed events: the stream is up to date.
      expect(stream.events.findIndex(({ event }) => event === 'heartbeat')).toBe(ids.length - last - 1)
      expect(stream.named('reset')).toEqual([])
      await stream.close()
    }),
  )
})

test('resumes after a heartbeat, with marks and notifications', async () => {
  const { user, ids } = await seen(3)
  const stream = await open(user)
  await stream.until('heartbeat', 2)
  await stream.close()
  const feed = world.store.notifications.of({ subscriberId: user.subscriberId, recipientId: user.id })
  await feed.markRead(ids[0] ?? '', new Date())
  await feed.markMany('read', { all: true }, new Date())
  const later = await notify(user)
  const resumed = await open(user, stream.lastEventId())
  await resumed.until('heartbeat')
  expect(resumed.events.slice(0, 3).map(({ event }) => event)).toEqual(['read-state', 'read-state', 'notification'])
  expect(resumed.notificationIds()).toEqual(later)
  await resumed.until('unread-count')
  expect(resumed.named('unread-count').at(-1)?.data).toBe('{"unreadCount":1,"unseenCount":1}')
  await resumed.close()
})

test('resumes after an id in the query, as libraries send it that cannot set a header', async () => {
  const { user, ids, eventIds } = await seen(3)
  const url = `${query.url}/notifications/stream?lastEventId=${encodeURIComponent(eventIds[0] ?? '')}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${await world.token(user)}` } })
  expect(response.status).toBe(200)
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += new TextDecoder().decode(bytes)
    if (text.includes('event: heartbeat')) break
  }
  const blocks = text.split('\n\n').filter((block) => block.includes('event: notification'))
  expect(blocks.map((block) => ids.findIndex((id) => block.includes(id)))).toEqual([1, 2])
})

test('resumes in another process after a restart, including changes in between', async () => {
  const first = await world.start()
  const { user, ids, eventIds } = await seen(5, first)
  await first.stop()
  const missed = await notify(user, 5)
  const second = await world.start()
  const stream = await open(user, eventIds[2], second)
  await stream.until('notification', 7)
  const live = await notify(user, 2)
  await stream.until('notification', 9)
  expect(stream.notificationIds()).toEqual([...ids.slice(3), ...missed, ...live])
  await stream.close()
})

test('many clients that reconnect at once share one change stream, each from its own position', async () => {
  const service = await world.start({ catchUpWindowMs: 4_000 })
  const { user, ids, eventIds } = await seen(40, service)
  const other = await seen(10, service)
  const before = await service.metric('herald_change_streams_total', 'catch-up')
  const streams = await Promise.all([
    ...eventIds.map((id) => open(user, id, service)),
    ...other.eventIds.map((id) => open(other.user, id, service)),
  ])
  await Promise.all(streams.map((stream) => stream.until('heartbeat')))
  for (const [n, stream] of streams.slice(0, 40).entries()) expect(stream.notificationIds()).toEqual(ids.slice(n + 1))
  for (const [n, stream] of streams.slice(40).entries())
    expect(stream.notificationIds()).toEqual(other.ids.slice(n + 1))
  expect((await service.metric('herald_change_streams_total', 'catch-up')) - before).toBe(1)
  await Promise.all(streams.map((stream) => stream.close()))
})

test('a client that is disconnected repeatedly during many changes receives each once, in order', async () => {
  const services = [query, await world.start({ heartbeatMs: 50 })]
  const user = newUser()
  const first = await open(user)
  await first.until('heartbeat')
  await first.close()
  let isWriting = true
  const written: string[] = []
  const write = async () => {
    const until = Date.now() + 3_000
    while (Date.now() < until || written.length < 100) written.push(...(await notify(user)))
    isWriting = false
  }
  const writing = write()
  const received: string[] = []
  let lastEventId = first.lastEventId()
  for (let round = 0; isWriting || received.length < written.length; round++) {
    const stream = await open(user, lastEventId, services[round % services.length])
    // Some are cut before they caught up, and some after it, however slow the machine is.
    if (round % 4 === 3) await stream.until('heartbeat')
    else await wait(Math.random() * 120)
    await stream.close()
    expect(stream.named('reset')).toEqual([])
    received.push(...stream.notificationIds())
    lastEventId = stream.lastEventId() || lastEventId
    if (round > 500) throw new Error(`Only ${received.length} of ${written.length} were received`)
  }
  await writing
  expect(received).toEqual(written)
})

describe('an id that cannot be resumed from resets the stream, which continues from now', () => {
  const sealed = async (user: User, position: string) => {
    const owner = ownerKey({ subscriberId: user.subscriberId, recipientId: user.id })
    return createEventIds(await world.store.streamKeys.get(), owner).seal(position)
  }
  const stranger = () => seen(1)
  /** Replaces a character in the middle by another one. */
  const changed = (id: string) => `${id.slice(0, 40)}${id[40] === 'A' ? 'B' : 'A'}${id.slice(41)}`

  test.each([
    ['nonsense', 'unknown-id', async () => 'nonsense'],
    ['one too long', 'unknown-id', async () => 'A'.repeat(4_000)],
    ['another user’s', 'unknown-id', async () => (await stranger()).eventIds[0] ?? ''],
    ['a changed one', 'unknown-id', async (user: User) => changed(await sealed(user, '82AA'))],
    ['one of long ago', 'too-old', (user: User) => sealed(user, '8200000001000000012B0229296E04')],
  ])('%s', async (_, reason, make) => {
    // The service must have passed a change on, so that its position is later than stored ones.
    const { user } = await seen(2)
    const stream = await open(user, await make(user))
    const [reset] = await stream.until('reset')
    expect(stream.events[0]).toBe(reset)
    expect(JSON.parse(reset?.data ?? '')).toEqual({ reason })
    expect(reset?.lastEventId).not.toBe('')
    await stream.until('unread-count')
    const ids = await notify(user)
    await stream.until('notification')
    expect(stream.notificationIds()).toEqual(ids)
    await stream.close()
    const again = await open(user, reset?.lastEventId)
    await again.until('heartbeat')
    expect(again.notificationIds()).toEqual(ids)
    await again.close()
  })

  test('a change that is not in the oplog', async () => {
    const user = newUser()
    const owner = { subscriberId: user.subscriberId, recipientId: user.id }
    const steps = world.store.feedChanges.watch({ signal: new AbortController().signal })
    await steps.next()
    await notify(user, 2)
    const step = (await steps.next()).value
    await steps.return()
    const never = (step && 'position' in step ? step.position : '').replace(/....0004$/, 'FFFF0004')
    const stream = await open(user, createEventIds(await world.store.streamKeys.get(), ownerKey(owner)).seal(never))
    expect(JSON.parse((await stream.until('reset'))[0]?.data ?? '')).toEqual({ reason: 'too-old' })
    await stream.close()
  })
})

test('a client that was away for a moment does not wait for one that was away for long', async () => {
  const long = early
  await eventually(() => Date.now() - long.at > 10_000)
  const short = await seen(2)
  // The border lies in the middle between both, however long the tests before it took.
  const service = await world.start({ shortlyAwayMs: (Date.now() - long.at) / 2, catchUpWindowMs: 500 })
  const catchUps = () => service.metric('herald_change_streams_total', 'catch-up')
  const before = await catchUps()
  const streams = await Promise.all([
    open(long.user, long.eventIds[0], service),
    open(short.user, short.eventIds[0], service),
  ])
  for (const stream of streams) await stream.until('notification')
  expect((await catchUps()) - before).toBe(2)
  for (const stream of streams) await stream.close()
})

// Last, because the other services of this file learn of the new key later.
test('after a restore open streams are reset, and ids of before cannot be resumed', async () => {
  const service = await world.start({ keyMs: 50 })
  const { user, eventIds } = await seen(1, service)
  const stream = await open(user, undefined, service)
  await stream.until('heartbeat')
  await world.store.streamKeys.renew()
  const [reset] = await stream.until('reset')
  expect(JSON.parse(reset?.data ?? '')).toEqual({ reason: 'restored' })
  const ids = await notify(user)
  await stream.until('notification')
  await stream.close()
  const before = await open(user, eventIds[0], service)
  expect(JSON.parse((await before.until('reset'))[0]?.data ?? '')).toEqual({ reason: 'unknown-id' })
  await before.close()
  const after = await open(user, reset?.lastEventId, service)
  await after.until('heartbeat')
  expect(after.notificationIds()).toEqual(ids)
  await after.close()
})
