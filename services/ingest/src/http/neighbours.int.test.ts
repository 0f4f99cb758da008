import { type Operation, operations } from '@herald/contracts'
import { storageBudget } from '@herald/runtime'
import { eventually, type HoldingProxy, startHoldingProxy } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'
import { createRequest } from './create-request.fixture.ts'

let proxy: HoldingProxy
let ingest: TestIngest
beforeAll(async () => {
  proxy = await startHoldingProxy(process.env.MONGODB_URI ?? '')
  ingest = await createTestIngest('neighbours', { environment: { MONGODB_URI: proxy.uri } })
  await ingest.migrate()
})
afterEach(() => proxy.release())
afterAll(async () => {
  await ingest?.stop()
  await proxy?.stop()
})

const own = Object.entries<Operation>(operations).filter(([, { service }]) => service === 'ingest')
const colleagues = 10
const sentByEach = 30
/** Half of the operations of requests. */
const ofSubscriber = storageBudget.sum / 2

type User = Awaited<ReturnType<TestIngest['newUser']>>

function send({ authorization }: User, { method, path }: Operation, notificationId: string) {
  const url = path.replace(':notificationId', notificationId)
  if (method !== 'POST') return ingest.http.inject({ method, url, headers: { authorization } })
  return ingest.http.inject({ method, url, headers: { authorization }, payload: createRequest() })
}

const unknown = '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87'
const cases = own.map(([name, operation]) => [name, operation] as const)

test.each(cases)('another subscriber is served while MongoDB answers no request for %s', async (_, operation) => {
  const first = await ingest.newUser()
  const { subscriberId } = first
  const others = Array.from({ length: colleagues - 1 }, () => ingest.newUser({ subscriberId }))
  const users = [first, ...(await Promise.all(others))]
  const other = await ingest.newUser()
  const bytes = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
  proxy.hold((message) => message.includes(bytes))
  const responses = users.flatMap((user) => Array.from({ length: sentByEach }, () => send(user, operation, unknown)))
  await eventually(() => proxy.held() > 0, { description: 'MongoDB is asked' })
  const created = await send(other, operations.createNotification, unknown)
  const retracted = await send(other, operations.retractNotification, created.json().data?.id)
  expect([created.statusCode, retracted.statusCode]).toEqual([201, 204])
  expect(proxy.most()).toBeLessThanOrEqual(ofSubscriber)
  proxy.release()
  const statuses = new Set((await Promise.all(responses)).map(({ statusCode }) => statusCode))
  expect([201, 404].filter((status) => statuses.has(status))).toHaveLength(1)
})
