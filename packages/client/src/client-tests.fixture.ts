import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createHeraldClient } from './client.ts'
import type { Notification } from './contract-types.ts'
import { isHeraldProblem } from './errors.ts'
import { mentionOf, type TestHerald } from './herald.fixture.ts'
import { createRelay } from './relay.fixture.ts'

let herald: TestHerald

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

export function describeClient(running: () => TestHerald): void {
  beforeAll(() => {
    herald = running()
  })

  describe('the client against a running Herald', () => {
    describe('notifications', () => {
      test('lists, counts and marks a created notification', async () => {
        const { id, client } = await herald.newUser({ name: 'Ada' })
        const { notifications } = client
        const created = await notifications.create(mentionOf([id], 'Look'))
        expect(created.recipients).toEqual([{ recipientId: id, readAt: null, emailSentAt: null }])
        const { recipients: _, ...content } = created
        const notification: Notification = { ...content, readAt: null, emailSentAt: null }
        expect(await notifications.list()).toEqual({ notifications: [notification], nextCursor: null })
        expect(await notifications.get(created.id)).toEqual(notification)
        expect(await notifications.unreadCount()).toBe(1)

        const { readAt } = await notifications.markRead(created.id)
        expect(readAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
        expect(await notifications.unreadCount()).toBe(0)
        expect(await notifications.markUnread(created.id)).toEqual(notification)
      })

      test('retracts a notification, as its actor, any number of times', async () => {
        const { id, client } = await herald.newUser()
        const { notifications } = client
        const created = await notifications.create(mentionOf([id]))
        expect(await notifications.retract(created.id)).toBeUndefined()
        await notifications.retract(created.id)
        expect(await notifications.list()).toEqual({ notifications: [], nextCursor: null })
        const { client: other } = await herald.newUser()
        await expect(other.notifications.retract(created.id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
      })

      test('iterates through all pages, from the start or a cursor', async () => {
        const { id, client } = await herald.newUser()
        const ids: string[] = []
        for (let i = 0; i < 7; i++) ids.unshift((await client.notifications.create(mentionOf([id]))).id)
        const listed = await collect(client.notifications.iterate({ limit: 3 }))
        expect(listed.map((notification) => notification.id)).toEqual(ids)

        const { nextCursor } = await client.notifications.list({ limit: 3 })
        const rest = await collect(client.notifications.iterate({ limit: 2, cursor: nextCursor ?? '' }))
        expect(rest.map((notification) => notification.id)).toEqual(ids.slice(3))
      })

      test('filters by status, location and time, as string or Date', async () => {
        const { id, client } = await herald.newUser()
        const first = await client.notifications.create(mentionOf([id]))
        const second = await client.notifications.create(mentionOf([id]))
        await client.notifications.markRead(second.id)
        const idsOf = async (query: object) =>
          (await client.notifications.list(query)).notifications.map((one) => one.id)
        expect(await idsOf({ status: 'unread' })).toEqual([first.id])
        expect(await idsOf({ locationId: second.locationId, status: undefined })).toEqual([second.id])
        expect(await idsOf({ createdFrom: new Date(Date.now() - 60_000) })).toEqual([second.id, first.id])
        expect(await idsOf({ createdTo: new Date(Date.now() - 60_000) })).toEqual([])
      })

      test('marks many as read: by ids, up to one, and all', async () => {
        const { id, client } = await herald.newUser()
        const ids: string[] = []
        for (let i = 0; i < 5; i++) ids.push((await client.notifications.create(mentionOf([id]))).id)
        const { markManyRead } = client.notifications
        expect(await markManyRead({ ids: [ids[4] ?? ''] })).toEqual({ updated: 1, unreadCount: 4, unseenCount: 4 })
        expect(await markManyRead({ all: true, upTo: ids[1] })).toEqual({ updated: 2, unreadCount: 2, unseenCount: 2 })
        expect(await markManyRead({ all: true })).toEqual({ updated: 2, unreadCount: 0, unseenCount: 0 })
      })
    })

    describe('the inbox', () => {
      test('archives one and many, and takes them back', async () => {
        const { id, client } = await herald.newUser()
        const { notifications } = client
        const ids: string[] = []
        for (let i = 0; i < 3; i++) ids.push((await notifications.create(mentionOf([id]))).id)
        const [first = '', second = ''] = ids
        const listed = async (archived: 'true' | 'false') =>
          (await notifications.list({ archived })).notifications.map((one) => one.id)
        const archived = await notifications.archive(first)
        expect(archived.archivedAt).toBe(archived.readAt)
        expect(await notifications.archiveMany({ all: true, upTo: second })).toMatchObject({
          updated: 1,
          unreadCount: 1,
        })
        expect([await listed('false'), await listed('true')]).toEqual([[ids[2]], [second, first]])
        expect(await notifications.unarchive(first)).not.toHaveProperty('archivedAt')
        expect(await notifications.unarchiveMany({ ids: [second] })).toMatchObject({ updated: 1 })
        expect(await notifications.archiveMany({ all: true, status: 'read' })).toMatchObject({ updated: 2 })
      })

      test('counts what is unread and unseen, marks it as seen, and groups it', async () => {
        const { id, client } = await herald.newUser()
        const { notifications } = client
        const { id: first } = await notifications.create(mentionOf([id]))
        expect(await notifications.counts()).toEqual({ unreadCount: 1, unseenCount: 1, seenUpTo: null })
        const { id: second } = await notifications.create(mentionOf([id]))
        expect(await notifications.markSeen({ upTo: first })).toEqual({ unseenCount: 1, seenUpTo: first })
        expect(await notifications.markSeen()).toEqual({ unseenCount: 0, seenUpTo: second })
        const page = await notifications.groups({ limit: 1 })
        expect(page.groups.map(({ latest, count }) => [latest.id, count])).toEqual([[second, 1]])
        const next = await notifications.groups({ cursor: page.nextCursor ?? '' })
        expect(next.groups.map(({ latest }) => latest.id)).toEqual([first])
      })

      test('mutes a location until a time, and unmutes it', async () => {
        const { id, client } = await herald.newUser()
        const mention = mentionOf([id])
        const target = { kind: 'location', id: mention.locationId } as const
        const until = new Date(Date.now() + 3_600_000)
        const mute = await client.mutes.set(target, { until })
        expect(mute).toEqual({ ...target, until: `${until.toISOString().slice(0, 19)}Z` })
        expect(await client.mutes.list()).toEqual([mute])
        const { id: muted } = await client.notifications.create(mention)
        expect(await client.notifications.get(muted)).toMatchObject({ readAt: expect.any(String) })
        expect(await client.notifications.unreadCount()).toBe(0)
        expect(await client.mutes.remove(target)).toBeUndefined()
        await client.mutes.set(target)
        expect(await client.mutes.list()).toEqual([{ ...target, until: null }])
      })
    })

    describe('a lost response', () => {
      test('does not lead to a second notification', async () => {
        const relay = await createRelay(herald.baseUrl)
        const user = await herald.newUser({}, { baseUrl: relay.url, retry: { minPauseMs: 10 } })
        relay.loseNext(1)
        const created = await user.client.notifications.create(mentionOf([user.id]))
        expect(relay.connections()).toBeGreaterThan(1)
        const { notifications } = await user.client.notifications.list()
        expect(notifications.map((one) => one.id)).toEqual([created.id])
        await relay.stop()
      })

      test('does not lead to a second notification when the caller retries with the same key', async () => {
        const { id, client } = await herald.newUser()
        const [mention, idempotencyKey] = [mentionOf([id]), randomUUID()]
        const first = await client.notifications.create(mention, { idempotencyKey })
        expect(await client.notifications.create(mention, { idempotencyKey })).toEqual(first)
        await expect(client.notifications.create(mentionOf([id]), { idempotencyKey })).rejects.toMatchObject({
          code: 'idempotency_key_reused',
        })
      })
    })

    describe('problems', () => {
      test('contain every error of a request', async () => {
        const { client } = await herald.newUser()
        const wrong = { ...mentionOf([]), subjectId: 'x' }
        const error = await client.notifications.create(wrong).catch((caught) => caught)
        expect(isHeraldProblem(error, 'validation_failed')).toBe(true)
        expect(error).toMatchObject({ name: 'HeraldProblem', status: 400, requestId: expect.any(String) })
        expect(error.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
          '/recipientIds',
          '/subjectId',
        ])
      })

      test('report not found and missing scope', async () => {
        const { client } = await herald.newUser({ scope: '' })
        await expect(client.notifications.get(randomUUID())).rejects.toMatchObject({ status: 404, code: 'not_found' })
        await expect(client.changeEntries.list()).rejects.toMatchObject({ status: 403, code: 'missing_scope' })
        await expect(collect(client.changeEntries.all())).rejects.toMatchObject({ code: 'missing_scope' })
      })
    })

    describe('tokens', () => {
      test('an expired token is refreshed once for concurrent requests', async () => {
        const claims = { sub: randomUUID(), subscriber_id: randomUUID() }
        let token = await herald.tokens.sign(claims, { expiresIn: -3_600 })
        const asked: boolean[] = []
        const client = createHeraldClient({
          baseUrl: herald.baseUrl,
          async token({ refresh }) {
            asked.push(refresh)
            if (refresh) token = await herald.tokens.sign(claims)
            return token
          },
        })
        const counts = await Promise.all([1, 2, 3].map(() => client.notifications.unreadCount()))
        expect(counts).toEqual([0, 0, 0])
        expect(asked.filter((refresh) => refresh)).toHaveLength(1)
      })

      test('a token still rejected after a refresh is reported', async () => {
        const { client } = await herald.newUser({}, { token: () => 'nonsense' })
        await expect(client.notifications.list()).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
      })
    })

    describe('the change log', () => {
      test('has the same content in pages, in one transfer and as a file', async () => {
        const { subscriberId, client } = await herald.newUser()
        const count = 250
        await herald.publish(
          herald.topics.change,
          Array.from({ length: count }, (_, index) => changeEvent(subscriberId, index)),
        )
        await waitUntil(async () => (await collect(client.changeEntries.all())).length === count)

        const all = await collect(client.changeEntries.all())
        expect(all.map(({ entityId }) => entityId)).toEqual(
          Array.from({ length: count }, (_, at) => `p-${count - 1 - at}`),
        )
        expect(all[0]?.beforeState).toEqual({ '': [null, 'ö'], $set: 1 })
        expect(await collect(client.changeEntries.iterate())).toEqual(all)

        const json = await client.changeEntries.export('json')
        expect(await json.json()).toEqual({ data: all })
        const csv = await client.changeEntries.export('csv', { entityId: 'p-7' })
        expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
        expect((await csv.text()).trim().split('\r\n')).toHaveLength(2)
        expect(await collect(client.changeEntries.all({ changedField: 'none' }))).toEqual([])
      })

      test('ends the transfer when the loop is left', async () => {
        const { subscriberId, client } = await herald.newUser()
        await herald.publish(herald.topics.change, [changeEvent(subscriberId, 0), changeEvent(subscriberId, 1)])
        await waitUntil(async () => (await client.changeEntries.list()).changeEntries.length === 2)
        for await (const { entityId } of client.changeEntries.all()) {
          expect(entityId).toBe('p-1')
          break
        }
      })
    })

    function changeEvent(subscriberid: string, index: number) {
      const event = {
        specversion: '1.0',
        id: randomUUID(),
        source: '/client',
        type: 'herald.change.recorded.v1',
        time: new Date(Date.now() - 600_000 + index).toISOString(),
        subscriberid,
        data: {
          user: { id: randomUUID(), name: 'Ada', email: 'ada@example.com' },
          entityType: 'portfolio',
          entityId: `p-${index}`,
          entityTitle: 'Growth',
          actionType: 'update',
          changedField: 'name',
          beforeState: { '': [null, 'ö'], $set: 1 },
          afterState: index,
        },
      }
      return {
        key: subscriberid,
        value: JSON.stringify(event),
        headers: { 'content-type': 'application/cloudevents+json' },
      }
    }

    async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
      const deadline = Date.now() + 60_000
      while (!(await condition())) {
        if (Date.now() > deadline) throw new Error('Condition not met in time')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  })
}
