import { setTimeout as pause } from 'node:timers/promises'
import { startReplicaSet, whyNoMongod } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createTestQuery, notificationAt, type User } from '../query.fixture.ts'

type Response = Awaited<ReturnType<User['get']>>
type Slow = { readonly command: string; readonly collection: string }

const sentAtOnce = 400
const slowMs = 2_000
/** Within which the process has received them all. Until then it is the processor that others wait for. */
const receivedMs = 500
const watchedMs = 1_500
/** As long as a request waits for its turn, and more. */
const untilRefusedMs = 9_000
/** Far more than a read takes, and less than the shortest time that it would wait for a slow command. */
const noticedMs = 1_000
// Skipped only where no mongod can run; one that fails to start fails the test.
const set = whyNoMongod(process.env) ? undefined : await startReplicaSet({ parameters: ['enableTestCommands=1'] })

const onSlowServer = set ? describe : describe.skip
onSlowServer('while MongoDB is slow', () => {
  let query: Awaited<ReturnType<typeof createTestQuery>>
  let client: MongoClient

  beforeAll(async () => {
    client = await MongoClient.connect(set?.uri ?? '')
    query = await createTestQuery('routes-at-once', { MONGODB_URI: set?.uri ?? '' })
    await query.store.migrate()
  })
  afterEach(letPass)
  afterAll(async () => {
    await query?.stop()
    await client?.close()
    await set?.stop()
  })

  async function slowDown({ command, collection }: Slow): Promise<void> {
    const of = { namespace: `${query.database}.${collection}`, appName: 'herald-query' }
    const data = { failCommands: [command], ...of, blockConnection: true, blockTimeMS: slowMs }
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data })
  }

  async function letPass(): Promise<void> {
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' })
  }

  /** A user with unread notifications. */
  async function userWithFeed() {
    const user = await query.newUser()
    const notifications = Array.from({ length: sentAtOnce }, (_, n) => notificationAt(Date.now() - n, user))
    await query.store.notifications.insertNew(notifications)
    return { user, ids: notifications.map(({ id }) => id) }
  }

  /** The requests refused so far, because a user had its share. The tests before this one may have caused some. */
  async function refusedByShare(): Promise<number> {
    const { payload } = await query.admin.app.inject('/metrics')
    const [, count] =
      /herald_budget_refused_total\{budget="storage operations",reason="share"\} (\d+)/.exec(payload) ?? []
    return Number(count)
  }

  /** Requests of somebody else, one after the other. Returns their statuses, and how long the slowest took. */
  async function watch(path: string, forMs: number) {
    const other = await query.newUser()
    const statuses = new Set<number>()
    let slowestMs = 0
    await pause(receivedMs)
    for (const endsAt = performance.now() + forMs; performance.now() < endsAt; await pause(50)) {
      const startedAt = performance.now()
      statuses.add((await other.get(path)).status)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    }
    return { statuses: [...statuses], slowestMs }
  }

  const states = ['read', 'unread', 'archived', 'unarchived']
  const slowMarks = { command: 'findAndModify', collection: 'notifications' }
  const slowReads = { command: 'find', collection: 'notifications' }
  const slowLookups = (collection: string) => ({ command: 'find', collection })
  const slowMutes = (command: string) => ({ command, collection: 'mutes' })
  const slowSeen = { command: 'update', collection: 'seen-marks' }

  test.each<[string, Slow, (user: User, id: string, n: number) => Promise<Response>, string]>([
    ['marks', slowMarks, (user, id, n) => user.patch(`/notifications/${id}/${states[n % states.length]}`), '/'],
    ['marks as seen', slowSeen, (user, upTo) => user.post('/notifications/seen', { upTo }), '/'],
    ['mutes', slowMutes('update'), (user, id) => user.put(`/mutes/location/${id}`, {}), '/'],
    ['ends of mutes', slowMutes('delete'), (user, id) => user.delete(`/mutes/location/${id}`), '/'],
    ['lists of mutes', slowMutes('find'), (user) => user.get('/mutes'), '/'],
    ['single notifications', slowReads, (user, id) => user.get(`/notifications/${id}`), '/mutes'],
    ['small pages', slowReads, (user) => user.get('/?limit=1'), '/mutes'],
  ])(
    'others do not notice hundreds of %s at once',
    async (_, slow, send, watched) => {
      const { user, ids } = await userWithFeed()
      await slowDown(slow)
      const responses = Promise.all(ids.map((id, n) => send(user, id, n)))
      const { statuses, slowestMs } = await watch(watched, watchedMs)
      await letPass()
      const refused = (await responses).filter(({ status }) => status > 204 && status !== 429)
      expect(refused.map(({ status, body }) => `${status} ${body}`)).toEqual([])
      expect(statuses).toEqual([200])
      expect(slowestMs).toBeLessThan(noticedMs)
    },
    60_000,
  )

  test('whoever sends hundreds of marks at once gets 429 for those that are not served in time', async () => {
    const { user, ids } = await userWithFeed()
    const refusedBefore = await refusedByShare()
    await slowDown(slowMarks)
    const responses = Promise.all(ids.map((id) => user.patch(`/notifications/${id}/read`)))
    const { statuses, slowestMs } = await watch('/', untilRefusedMs)
    await letPass()
    const refused = (await responses).filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(sentAtOnce / 2)
    expect(refused.length).toBeLessThan(sentAtOnce)
    const of429 = { status: 429, code: 'rate_limited', retryAfter: expect.stringMatching(/^\d+$/) }
    for (const { status, json, headers } of refused) {
      expect({ status, code: json.code, retryAfter: headers['retry-after'] }).toEqual(of429)
    }
    expect(statuses).toEqual([200])
    expect(slowestMs).toBeLessThan(noticedMs)
    expect((await refusedByShare()) - refusedBefore).toBe(refused.length)
    const { payload } = await query.admin.app.inject('/metrics')
    expect(payload).toContain('herald_budget_held{budget="storage operations"} 0\n')
  }, 60_000)

  test.each([
    ['checkpoints', slowLookups('log-checkpoints'), '/change-entries/checkpoint'],
    ['keys of checkpoints', slowLookups('log-state'), '/change-entries/checkpoint/key'],
    ['pages in recorded order', slowLookups('log-state'), '/change-entries?order=recorded'],
  ])(
    'others do not notice hundreds of requests for %s at once',
    async (_, slow, path) => {
      const user = await query.newUser()
      await slowDown(slow)
      const responses = Promise.all(Array.from({ length: sentAtOnce }, () => user.get(path)))
      const { statuses, slowestMs } = await watch('/', watchedMs)
      await letPass()
      await responses
      expect(statuses).toEqual([200])
      expect(slowestMs).toBeLessThan(noticedMs)
    },
    60_000,
  )
})
