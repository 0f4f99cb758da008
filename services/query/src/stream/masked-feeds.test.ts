import { expect, jest, test } from '@jest/globals'
import { createTestClient } from './client.fixture.ts'
import type { StreamClient } from './client.ts'
import { createMaskedFeeds } from './masked-feeds.ts'

test('changes of a feed within the time share one reset, a later one has its own, and who has left gets none', () => {
  jest.useFakeTimers()
  const [one, left, fenced] = [createTestClient(), createTestClient(), createTestClient()].map(({ client }) => client)
  const reset: (StreamClient | undefined)[] = []
  const maskedFeeds = createMaskedFeeds({
    isListener: (client) => client !== fenced,
    reset: (client) => void reset.push(client),
    options: { minErasedMs: 1_000, maxErasedMs: 3_000 },
  })
  const all = [one, left, fenced] as StreamClient[]
  maskedFeeds.add(all)
  maskedFeeds.forget(left as StreamClient)
  jest.advanceTimersByTime(999)
  maskedFeeds.add(all.slice(0, 1))
  expect(reset).toEqual([])
  jest.advanceTimersByTime(2_001)
  expect(reset).toEqual([one])
  maskedFeeds.add(all.slice(0, 1))
  jest.advanceTimersByTime(3_000)
  expect(reset).toEqual([one, one])
})
