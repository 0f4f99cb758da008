import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { expectFeedsEqual } from './expect-equal.ts'
import { connectModelHerald, type ModelHerald } from './model-herald.ts'
import { operationOrMute } from './operations.ts'
import { feedSizes } from './run/sizes.ts'

const { runs, operations: operationsPerRun } = feedSizes

let herald: ModelHerald
let done = 0

beforeAll(async () => {
  herald = await connectModelHerald()
})
afterAll(() => herald?.disconnect())

test(`every feed, group, count and mute equals the model after each of ${runs * operationsPerRun} random operations`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operationOrMute, { minLength: operationsPerRun, maxLength: operationsPerRun, size: 'max' }),
      async (operations) => {
        const world = await herald.newWorld()
        for (const operate of operations) {
          await operate(world)
          await expectFeedsEqual(world)
          done++
        }
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
  expect(done).toBeGreaterThanOrEqual(runs * operationsPerRun)
}, 1_500_000)
