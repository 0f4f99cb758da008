import { type Operation, operations } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestIngest } from '../ingest.fixture.ts'

let ingest: Awaited<ReturnType<typeof createTestIngest>>
beforeAll(async () => {
  ingest = await createTestIngest('operations')
})
afterAll(() => ingest?.stop())

test('serves and validates exactly the operations of the contract', () => {
  const own = Object.values<Operation>(operations).filter(({ service }) => service === 'ingest')
  expect(ingest.http.servedRoutes).toEqual(
    own.map(({ method, path, scope, params, headers, body }) => ({
      method,
      path,
      config: { scope },
      schema: { params, headers, body },
    })),
  )
})
