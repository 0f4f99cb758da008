import { type Operation, operations } from '@herald/contracts'
import { storageBudget } from '@herald/runtime'
import { eventually, type HoldingProxy, startHoldingProxy } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { changeEntryAt, createTestQuery, notificationAt, type User } from './query.fixture.ts'

let proxy: HoldingProxy
let query: Awaited<ReturnType<typeof createTestQuery>>
beforeAll(async () => {
  proxy = await startHoldingProxy(process.env.MONGODB_URI ?? '')
  query = await createTestQuery('neighbours', { MONGODB_URI: proxy.uri })
  await query.store.migrate()
})
afterEach(() => proxy.release())
afterAll(async () => {
  await query?.stop()
  await proxy?.stop()
})

type Name = keyof typeof operations
const own = Object.entries<Operation>(operations).filter(([, one]) => one.service === 'query' && !one.public)

const colleagues = 10
const sentByEach = 30
/** Half of the operations of requests. */
const ofSubscriber = storageBudget.sum / 2
const scope = 'change-entries:read'

type Given = { readonly notificationId: string; readonly changeEntryId: string; readonly kind: 'location' | 'actor' }

const bodies: Partial<Record<Name, object>> = {
  markNotificationsRead: { all: true },
  archiveNotifications: { all: true },
  unarchiveNotifications: { all: true },
  markNotificationsSeen: {},
  setMute: {},
}
/** Beside the plain form: filters, which are read in another way, and positions. */
const queries: Partial<Record<Name, readonly string[]>> = {
  listNotifications: ['', '?status=unread', '?type=mention'],
  listChangeEntries: ['', '?order=recorded', '?entityId=p-1', '?order=recorded&entityId=p-1'],
  listAllChangeEntries: ['', '?entityId=p-1'],
  streamNotifications: ['?lastEventId=unknown'],
  getCheckpointConsistency: ['?from=0'],
}
const cases = own.flatMap(([name, operation]) =>
  (queries[name as Name] ?? ['']).map((asked) => [`${name}${asked}`, name as Name, operation, asked] as const),
)

/** Many requests of a subscriber's users, each on a socketless connection of its own. */
function send(users: readonly User[], name: Name, { method, path }: Operation, asked: string, given: Given) {
  const url = path
    .replace(':notificationId', given.notificationId)
    .replace(':changeEntryId', given.changeEntryId)
    .replace(':kind', given.kind)
    .replace(':id', given.notificationId)
  const body = bodies[name]
  const payload = body && JSON.stringify(body)
  return users.flatMap(({ authorization }) =>
    Array.from({ length: sentByEach }, () => {
      const headers = { authorization, ...(payload && { 'content-type': 'application/json' }) }
      return query.http.inject({ method, url: `${url}${asked}`, headers, ...(payload && { payload }) })
    }),
  )
}

test.each(cases)('another subscriber is served while MongoDB answers no request for %s', async (_, ...asked) => {
  const first = await query.newUser({ scope })
  const { subscriberId } = first
  const others = Array.from({ length: colleagues - 1 }, () => query.newUser({ subscriberId, scope }))
  const users = [first, ...(await Promise.all(others))]
  const notifications = users.map((user) => notificationAt(Date.now(), user))
  const entry = changeEntryAt(Date.now(), subscriberId)
  await query.store.notifications.insertNew(notifications)
  await query.store.changeEntries.insertNew([entry])
  const other = await query.newUser()
  const bytes = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
  // The keys of all logs and the state of the order are in no document of a subscriber.
  proxy.hold((message) => message.includes(bytes) || message.includes(subscriberId) || message.includes('log-state'))
  const given = { notificationId: notifications[0]?.id ?? '', changeEntryId: entry.id, kind: 'location' } as const
  const responses = send(users, asked[0], asked[1], asked[2], given)
  await eventually(() => proxy.held() > 0, { description: 'MongoDB is asked' })
  const statuses = [await other.get('/'), await other.get('/mutes'), await other.get('/notifications/unread-count')]
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(proxy.most()).toBeLessThanOrEqual(ofSubscriber)
  proxy.release()
  // Streams would not end.
  if (asked[0] !== 'streamNotifications') await Promise.all(responses)
})
