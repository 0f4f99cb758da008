import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'
import { createRequest } from './create-request.fixture.ts'

let ingest: TestIngest

beforeAll(async () => {
  // Nothing listens on this port.
  ingest = await createTestIngest('away', {
    environment: { MONGODB_URI: 'mongodb://127.0.0.1:1/?directConnection=true' },
  })
})
afterAll(() => ingest?.stop())

test.each([[[]], [['k']]])('returns 503 with Retry-After while MongoDB is unavailable (keys: %j)', async (keys) => {
  const answer = await (await ingest.newUser()).post(createRequest(), ...keys)
  expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'storage_unavailable', '5'])
  expect(answer.body).not.toMatch(/127\.0\.0\.1|mongo/i)
})
