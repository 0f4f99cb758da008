import { type Operation, operations } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestIngest } from './ingest.fixture.ts'

let ingest: Awaited<ReturnType<typeof createTestIngest>>
beforeAll(async () => {
  ingest = await createTestIngest('operations')
})
afterAll(() => ingest?.stop())

test('what the contract says of this service is served and validated as documented, and nothing else', () => {
  const own = Object.values<Operation>(operations).filter(({ service }) => service === 'ingest')
  expect(ingest.http.servedRoutes).toEqual(
    own.map(({ method, path, scope, headers, body }) => ({
      method,
      path,
      config: { scope },
      schema: { headers, body },
    })),
  )
})
