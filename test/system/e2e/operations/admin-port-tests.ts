import { beforeAll, describe, expect, test } from '@jest/globals'
import type { TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { expectProblem } from '../support/problem.ts'
import type { User } from '../support/user.ts'

export function describeAdminPorts(herald: () => TestHerald): void {
  describe('admin ports', () => {
    let user: User
    beforeAll(async () => {
      user = await herald().newUser()
    })

    test.each(['ingest', 'query'] as const)('%s reports liveness and readiness on its admin port', async (service) => {
      const { adminUrl } = herald()[service]
      expect((await send(`${adminUrl}/livez`)).status).toBe(200)
      expect((await send(`${adminUrl}/readyz`)).status).toBe(200)
    })

    test.each(['ingest', 'query'] as const)('%s exposes Prometheus metrics on its admin port', async (service) => {
      await user.get('/')
      const answer = await send(`${herald()[service].adminUrl}/metrics`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain|^application\/openmetrics-text/)
      expect(answer.text).toMatch(/^# TYPE \S+ (counter|gauge|histogram|summary)$/m)
      expect(answer.text).toMatch(/^process_cpu_seconds_total/m)
    })

    test.each(['/livez', '/readyz', '/metrics'])(
      '%s is not reachable through the gateway or a public port',
      async (path) => {
        const { baseUrl, ingest, query } = herald()
        for (const url of [baseUrl, ingest.url, query.url]) {
          expectProblem(await send(`${url}${path}`, { token: user.token }), 404, 'not_found')
          expect((await send(`${url}${path}`)).status).toBeGreaterThanOrEqual(400)
        }
      },
    )

    test.each(['ingest', 'query'] as const)('the admin port of %s serves no API operation', async (service) => {
      expect((await send(`${herald()[service].adminUrl}/`, { token: user.token })).status).toBe(404)
    })
  })
}
