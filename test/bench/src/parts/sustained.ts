import type { Figure } from '../figure.ts'
import { type Distribution, type Quantile, quantileNames, quantiles, showDistribution } from '../load/distribution.ts'
import { withPaths } from '../load/paths.ts'
import type { Part } from '../part.ts'
import { withLateEviction } from './late-eviction.ts'

/** In a run that keeps up half of the events are listed within this. */
const keepsUpMs = 500

/** Ten minutes at half of the capacity, and ten at four fifths, which not every run keeps up with. */
export const sustained: Part = {
  name: 'sustained',
  about: 'produced → listed for 10 minutes at 50 % of capacity, and for 10 at 80 %',
  rounds: 1,
  run: withLateEviction((context) =>
    withPaths(context, async ({ runAt }) => {
      async function listedAt(percent: number): Promise<Distribution> {
        const found = await runAt['produced → listed'](percent, context.smoke ? 0.5 : 600)
        context.log(`${percent} %: ${showDistribution(found)}`)
        return found
      }
      const atHalf = await listedAt(50)
      const atFourFifths = await listedAt(80).catch((error: Error) => {
        // Its process ends at the first event that is not listed in time.
        if (!error.message.includes('loader list')) throw error
        context.log(`80 %: not kept up: ${error.message}`)
        return undefined
      })
      return [
        ...sustainedFigures(50, atHalf),
        {
          what: 'runs in which 80 % of capacity was kept up with for 10 minutes',
          unit: 'of 1',
          measured: [atFourFifths && atFourFifths.p50 < keepsUpMs ? 1 : 0],
          goal: { atLeast: 1 },
        },
        ...(atFourFifths ? sustainedFigures(80, atFourFifths) : []),
      ]
    }),
  ),
}

const sustainedGoals: Record<Quantile, number> = { p50: 12, p99: 50, p999: 150 }

function sustainedFigures(percent: number, found: Distribution): Figure[] {
  return quantileNames.map((name) => ({
    what: `produced → listed for 10 minutes at ${percent} % of capacity, ${quantiles[name]}`,
    unit: 'ms',
    measured: [found[name]],
    ...(percent === 50 && { goal: { atMost: sustainedGoals[name] } }),
  }))
}
