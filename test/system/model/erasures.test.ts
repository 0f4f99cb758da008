import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { erasure, eventsAtOnce } from './event-operations.ts'
import { expectFeedsEqual, expectLogsEqual } from './expect-equal.ts'
import { connectModelHerald, type ModelHerald } from './model-herald.ts'
import { expectAnswerAgain, named, operation, type World } from './operations.ts'
import { erasureSizes } from './run/sizes.ts'

const { runs, worlds: worldsPerRun, operations: operationsPerWorld } = erasureSizes

let herald: ModelHerald
let done = 0
let erasures = 0

beforeAll(async () => {
  herald = await connectModelHerald()
})
afterAll(() => herald?.disconnect())

const expectAllEqual = (world: World) => Promise.all([expectFeedsEqual(world), expectLogsEqual(world)])

/** Only an erasure that was published, or replayed, may take time. */
async function expectEventually(world: World): Promise<void> {
  let failure: unknown
  const isEqual = () =>
    Promise.all([expectAllEqual(world), ...world.requests.map((request) => expectAnswerAgain(world, request))]).then(
      () => true,
      (error) => {
        failure = error
        return false
      },
    )
  await eventually(isEqual, { within: 60_000, every: 250 }).catch(() => {
    throw failure
  })
}

test('what every user sees equals the model after erasures, retractions, marks and replays in any order', async () => {
  const publish = named(
    'events at once',
    eventsAtOnce(() => herald.publisher),
  )
  const any = fc.oneof({ weight: 1, arbitrary: publish }, { weight: 2, arbitrary: operation })
  const erase = named(
    'erasures at once',
    eventsAtOnce(() => herald.publisher, erasure),
  )
  const half = operationsPerWorld / 2
  const some = fc.array(any, { minLength: half, maxLength: half, size: 'max' })
  // However few they are, each world has erasures in its middle.
  const operations = fc.tuple(some, erase, some).map(([before, one, after]) => [...before, one, ...after])
  await fc.assert(
    fc.asyncProperty(
      fc.array(operations, { minLength: worldsPerRun, maxLength: worldsPerRun, size: 'max' }),
      async (all) => {
        const run = async (given: (typeof all)[number]) => {
          const world = await herald.newWorld()
          for (const operate of given) {
            const before = world.published.filter(({ topic }) => topic === 'privacy').length
            await operate(world)
            const found = world.published.filter(({ topic }) => topic === 'privacy').length - before
            if (found === 0) await expectAllEqual(world)
            else await expectEventually(world)
            erasures += found
            done++
          }
        }
        // All of them end, so that none goes on while Herald is stopped.
        const ends = await Promise.allSettled(all.map(run))
        for (const end of ends) if (end.status === 'rejected') throw end.reason
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
  expect(done).toBe(runs * worldsPerRun * (operationsPerWorld + 1))
  expect(erasures).toBeGreaterThanOrEqual(runs * worldsPerRun)
}, 1_500_000)
