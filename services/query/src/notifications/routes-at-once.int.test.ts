import { usually } from '@herald/jest-preset/full-run'
import { eventually, startReplicaSet, whyNoMongod } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createTestQuery, notificationAt, type User } from '../query.fixture.ts'

type Response = Awaited<ReturnType<User['get']>>
type Slow = { readonly command: string; readonly collection: string }

/** MongoDB a region away, or with a busy disk. */
const regionMs = 400

const sentAtOnce = 400
const slowMs = 2_000
/** One after the other, each answered at once. Behind the slow commands the first would wait longer than all take. */
const watchedRequests = 5
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

  const metrics = async () => (await query.admin.app.inject('/metrics')).payload

  /** How many commands of requests are waiting for MongoDB. */
  async function held(): Promise<number> {
    const [, count] = /herald_budget_held\{budget="storage operations"\} (\d+)/.exec(await metrics()) ?? []
    return Number(count)
  }

  /** The requests refused so far, because a user had its share. The tests before this one may have caused some. */
  async function refusedByShare(): Promise<number> {
    const refused = /herald_budget_refused_total\{budget="storage operations",reason="share"\} (\d+)/
    const [, count] = refused.exec(await metrics()) ?? []
    return Number(count)
  }

  /** Requests of somebody else, while hundreds wait. Returns their statuses, and how many of the hundreds were answered by then. */
  async function watch(path: string, hundreds: readonly Promise<unknown>[]) {
    let answered = 0
    for (const one of hundreds) {
      void one.then(() => {
        answered++
      })
    }
    const other = await query.newUser()
    await eventually(async () => answered > 0 || (await held()) > 0)
    const statuses = new Set<number>()
    for (let n = 0; n < watchedRequests; n++) statuses.add((await other.get(path)).status)
    return { statuses: [...statuses], answered }
  }

  const states = ['read', 'unread', 'archived', 'unarchived']
  const slowMarks = { command: 'findAndModify', collection: 'notifications' }
  const slowReads = { command: 'find', collection: 'notifications' }
  const slowLookups = (collection: string) => ({ command: 'find', collection })
  const slowMutes = (command: string) => ({ command, collection: 'mutes' })
  const slowSeen = { command: 'update', collection: 'seen-marks' }

  type Route = [string, Slow, (user: User, id: string, n: number) => Promise<Response>, string]
  const routes: Route[] = [
    ['marks', slowMarks, (user, id, n) => user.patch(`/notifications/${id}/${states[n % states.length]}`), '/'],
    ['marks as seen', slowSeen, (user, upTo) => user.post('/notifications/seen', { upTo }), '/'],
    ['mutes', slowMutes('update'), (user, id) => user.put(`/mutes/location/${id}`, {}), '/'],
    ['ends of mutes', slowMutes('delete'), (user, id) => user.delete(`/mutes/location/${id}`), '/'],
    ['lists of mutes', slowMutes('find'), (user) => user.get('/mutes'), '/'],
    ['single notifications', slowReads, (user, id) => user.get(`/notifications/${id}`), '/mutes'],
    ['small pages', slowReads, (user) => user.get('/?limit=1'), '/mutes'],
  ]
  const someRoutes = routes.filter(([name]) => name === 'marks' || name === 'small pages')

  test.each(usually(someRoutes, { inFullRuns: routes }))(
    'others do not notice hundreds of %s at once',
    async (_, slow, send, watched) => {
      const { user, ids } = await userWithFeed()
      await slowDown(slow)
      const responses = ids.map((id, n) => send(user, id, n))
      const { statuses, answered } = await watch(watched, responses)
      await letPass()
      const refused = (await Promise.all(responses)).filter(({ status }) => status > 204 && status !== 429)
      expect(refused.map(({ status, body }) => `${status} ${body}`)).toEqual([])
      expect(statuses).toEqual([200])
      expect(answered).toBeLessThan(sentAtOnce / 4)
    },
    60_000,
  )

  test('a service is ready however long an operation takes', async () => {
    const data = { failCommands: ['listCollections', 'listIndexes'], blockConnection: true, blockTimeMS: regionMs }
    const failPoint = {
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { ...data, appName: 'herald-query' },
    }
    await client.db('admin').command(failPoint)
    const isReady = async () => (await query.admin.app.inject('/readyz')).statusCode === 200
    await eventually(isReady)
    expect(await isReady()).toBe(true)
  })

  test('whoever sends hundreds of marks at once gets 429 for those that are not served in time', async () => {
    const { user, ids } = await userWithFeed()
    const refusedBefore = await refusedByShare()
    await slowDown(slowMarks)
    const responses = ids.map((id) => user.patch(`/notifications/${id}/read`))
    const { statuses, answered } = await watch('/', responses)
    await Promise.all(responses)
    await letPass()
    const refused = (await Promise.all(responses)).filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(sentAtOnce / 2)
    expect(refused.length).toBeLessThan(sentAtOnce)
    const of429 = { status: 429, code: 'rate_limited', retryAfter: expect.stringMatching(/^\d+$/) }
    for (const { status, json, headers } of refused) {
      expect({ status, code: json.code, retryAfter: headers['retry-after'] }).toEqual(of429)
    }
    expect(statuses).toEqual([200])
    expect(answered).toBeLessThan(sentAtOnce / 4)
    expect((await refusedByShare()) - refusedBefore).toBe(refused.length)
    expect(await held()).toBe(0)
  }, 60_000)

  const reads: [string, Slow, string][] = [
    ['checkpoints', slowLookups('log-checkpoints'), '/change-entries/checkpoint'],
    ['keys of checkpoints', slowLookups('log-state'), '/change-entries/checkpoint/key'],
    ['pages in recorded order', slowLookups('log-state'), '/change-entries?order=recorded'],
  ]

  test.each(usually(reads.slice(0, 1), { inFullRuns: reads }))(
    'others do not notice hundreds of requests for %s at once',
    async (_, slow, path) => {
      const user = await query.newUser()
      await slowDown(slow)
      const responses = Array.from({ length: sentAtOnce }, () => user.get(path))
      const { statuses, answered } = await watch('/', responses)
      await letPass()
      await Promise.all(responses)
      expect(statuses).toEqual([200])
      expect(answered).toBeLessThan(sentAtOnce / 4)
    },
    60_000,
  )
})
