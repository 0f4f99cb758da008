import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createHeraldClient } from './client.ts'
import { mentionOf, type TestHerald } from './herald.fixture.ts'
import { createRelay } from './relay.fixture.ts'
import type { FeedEvent } from './stream.ts'

let herald: TestHerald

/** Follows a stream in the background and collects its events. */
function listen(stream: AsyncIterable<FeedEvent>) {
  const events: FeedEvent[] = []
  let wake = () => {}
  const done = (async () => {
    for await (const event of stream) {
      events.push(event)
      wake()
    }
  })().catch((error) => error)
  return {
    events,
    done,
    idsOfNotifications: () => events.flatMap((event) => (event.type === 'notification' ? [event.notification.id] : [])),
    async until(condition: () => boolean, limitMs = 60_000): Promise<void> {
      const limit = setTimeout(() => wake(), limitMs)
      const deadline = Date.now() + limitMs
      while (!condition()) {
        if (Date.now() >= deadline)
          throw new Error(`Expected event not received; received: ${events.map(({ type }) => type).join(' ')}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      clearTimeout(limit)
    },
  }
}

const has = (events: readonly FeedEvent[], type: FeedEvent['type']) => events.some((event) => event.type === type)

export function describeStream(running: () => TestHerald): void {
  beforeAll(() => {
    herald = running()
  })

  describe('the stream', () => {
    test('sends events as they happen, until the signal is aborted', async () => {
      const { id, client } = await herald.newUser()
      const stop = new AbortController()
      const feed = listen(client.notifications.stream({ signal: stop.signal }))
      await feed.until(() => has(feed.events, 'heartbeat'))

      const created = await client.notifications.create(mentionOf([id], 'Live'))
      await feed.until(() => feed.events.some((event) => event.type === 'unread-count' && event.unreadCount === 1))
      const { readAt } = await client.notifications.markRead(created.id)
      await feed.until(() => has(feed.events, 'read-state'))
      expect(feed.events.find(({ type }) => type === 'notification')).toMatchObject({
        notification: { id: created.id, metadata: { mention: { snippet: 'Live' } }, readAt: null },
        lastEventId: expect.any(String),
      })
      expect(feed.events.find(({ type }) => type === 'read-state')).toMatchObject({ ids: [created.id], readAt })
      await client.notifications.retract(created.id)
      await feed.until(() => has(feed.events, 'retracted'))
      expect(feed.events.find(({ type }) => type === 'retracted')).toMatchObject({ ids: [created.id] })

      stop.abort()
      expect(await feed.done).toBe(stop.signal.reason)
    })

    test('reconnects and delivers missed events exactly once', async () => {
      const relay = await createRelay(herald.baseUrl)
      const { id, client, token } = await herald.newUser()
      const behindRelay = createHeraldClient({ baseUrl: relay.url, token })
      const stop = new AbortController()
      const feed = listen(behindRelay.notifications.stream({ signal: stop.signal }))
      await feed.until(() => has(feed.events, 'heartbeat'))

      const ids = [(await client.notifications.create(mentionOf([id]))).id]
      await feed.until(() => feed.idsOfNotifications().length === 1)
      relay.cut()
      await feed.until(() => has(feed.events, 'lost'))
      for (let i = 0; i < 3; i++) ids.push((await client.notifications.create(mentionOf([id]))).id)
      await feed.until(() => feed.idsOfNotifications().length >= 4)
      expect(feed.idsOfNotifications()).toEqual(ids)
      expect(feed.events.find(({ type }) => type === 'lost')).toMatchObject({ reason: 'connection' })

      stop.abort()
      await feed.done
      await relay.stop()
    })

    test('resumes from a known position and resets an unknown one', async () => {
      const { id, client } = await herald.newUser()
      let lastEventId: string | undefined
      for await (const event of client.notifications.stream()) {
        lastEventId = event.lastEventId
        if (event.type === 'heartbeat') break
      }
      const created = await client.notifications.create(mentionOf([id]))
      for await (const event of client.notifications.stream({ lastEventId })) {
        if (event.type !== 'notification') continue
        expect(event.notification.id).toBe(created.id)
        break
      }
      for await (const event of client.notifications.stream({ lastEventId: 'no-such-place' })) {
        if (event.type !== 'reset') continue
        expect(event.reason).toBe('unknown-id')
        break
      }
    })

    test('reconnects with a new token after expiry', async () => {
      const claims = { sub: randomUUID(), subscriber_id: randomUUID() }
      const asked: boolean[] = []
      const client = createHeraldClient({
        baseUrl: herald.baseUrl,
        token({ refresh }) {
          asked.push(refresh)
          return herald.tokens.sign(claims, { expiresIn: refresh ? 3_600 : 2 })
        },
      })
      const stop = new AbortController()
      const feed = listen(client.notifications.stream({ signal: stop.signal }))
      await feed.until(() => feed.events.filter(({ type }) => type === 'open').length === 2)
      expect(feed.events.find(({ type }) => type === 'lost')).toMatchObject({ reason: 'expired', retryInMs: 0 })
      expect(asked).toEqual([false, true])
      stop.abort()
      await feed.done
    })

    test('says why it is refused, and asks again', async () => {
      const { client } = await herald.newUser({}, { token: 'nonsense', retry: { minPauseMs: 5 } })
      const reasons: unknown[] = []
      for await (const event of client.notifications.stream()) {
        if (event.type === 'lost' && reasons.push([event.reason, event.error]) === 2) break
      }
      expect(reasons).toEqual(Array(2).fill(['refused', expect.objectContaining({ code: 'unauthorized' })]))
    })
  })
}
