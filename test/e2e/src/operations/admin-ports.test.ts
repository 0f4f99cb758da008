import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { expectProblem } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User

beforeAll(async () => {
  herald = await startTestHerald('admin')
  user = await herald.newUser()
})
afterAll(() => herald?.stop())

test.each(['ingest', 'query'] as const)('%s reports liveness and readiness on its admin port', async (service) => {
  const { adminUrl } = herald[service]
  expect((await send(`${adminUrl}/livez`)).status).toBe(200)
  expect((await send(`${adminUrl}/readyz`)).status).toBe(200)
})

test.each(['ingest', 'query'] as const)('%s exposes Prometheus metrics on its admin port', async (service) => {
  await user.get('/')
  const answer = await send(`${herald[service].adminUrl}/metrics`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain|^application\/openmetrics-text/)
  expect(answer.text).toMatch(/^# TYPE \S+ (counter|gauge|histogram|summary)$/m)
  expect(answer.text).toMatch(/^process_cpu_seconds_total/m)
})

test.each(['/livez', '/readyz', '/metrics'])(
  '%s is not reachable through the gateway or a public port',
  async (path) => {
    for (const url of [herald.baseUrl, herald.ingest.url, herald.query.url]) {
      expectProblem(await send(`${url}${path}`, { token: user.token }), 404, 'not_found')
      expect((await send(`${url}${path}`)).status).toBeGreaterThanOrEqual(400)
    }
  },
)

test.each(['ingest', 'query'] as const)('the admin port of %s serves no API operation', async (service) => {
  expect((await send(`${herald[service].adminUrl}/`, { token: user.token })).status).toBe(404)
})

test('logs contain neither tokens nor user content', async () => {
  const secret = 'a snippet that must stay private'
  const metadata = { mention: { mentionerName: 'Ada', snippet: secret, entityType: 'portfolio' }, add: {}, edit: {} }
  const body = { type: 'mention', actorType: 'user', subjectType: 'user', locationType: 'file', metadata }
  const ids = { subjectId: user.id, locationId: user.id, recipientIds: [user.id] }
  expect((await user.post('/', { ...body, ...ids })).status).toBe(201)
  expect((await user.post('/', { ...body, ...ids, extra: secret })).status).toBe(400)
  await user.get('/')
  const logs = [...herald.ingest.logs(), ...herald.query.logs()].join('\n')
  expect(logs).toMatch(/./)
  expect(logs).not.toContain(secret)
  expect(logs).not.toContain(user.token)
})
