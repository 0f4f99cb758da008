import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { eventsAtOnce } from './event-operations.ts'
import { expectFeedsEqual, expectLogsEqual } from './expect-equal.ts'
import { type ModelHerald, startModelHerald } from './model-herald.ts'
import { expectAnswerAgain, named, operation, type World } from './operations.ts'

const runs = Math.ceil(Number(process.env.HERALD_MODEL_RUNS ?? 12) / 30)
/** Side by side, because an erasure is carried out within some seconds. */
const worldsPerRun = 8
const operationsPerWorld = 30

let herald: ModelHerald
let done = 0
let erasures = 0

beforeAll(async () => {
  herald = await startModelHerald('erasures')
}, 120_000)
afterAll(() => herald?.stop())

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
  const operations = fc.array(any, { minLength: operationsPerWorld, maxLength: operationsPerWorld, size: 'max' })
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
  expect(done).toBe(runs * worldsPerRun * operationsPerWorld)
  expect(erasures).toBeGreaterThan(0)
}, 1_500_000)
