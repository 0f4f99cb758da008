import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestIngest, type TestIngest } from '../ingest.fixture.ts'

let ingest: TestIngest

beforeAll(async () => {
  // Nobody listens there.
  ingest = await createTestIngest('away', { MONGODB_URI: 'mongodb://127.0.0.1:1/?directConnection=true' })
})
afterAll(() => ingest?.stop())

test.each([[[]], [['k']]])(
  'with MongoDB away a request (keys: %j) is a problem that says when to come again',
  async (keys) => {
    const answer = await (await ingest.newUser()).post(
      {
        type: 'mention',
        actorType: 'user',
        subjectId: randomUUID(),
        subjectType: 'user',
        locationId: randomUUID(),
        locationType: 'comment',
        metadata: { mention: { mentionerName: '', snippet: '', anchorId: '' } },
        recipientIds: [randomUUID()],
      },
      ...keys,
    )
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'storage_unavailable', '5'])
    expect(answer.body).not.toMatch(/127\.0\.0\.1|mongo/i)
  },
)
