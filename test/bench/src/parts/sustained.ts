import type { Figure } from '../figure.ts'
import { type Distribution, type Quantile, quantileNames, quantiles, showDistribution } from '../load/distribution.ts'
import { withPaths } from '../load/paths.ts'
import type { Part } from '../part.ts'
import { withLateEviction } from './late-eviction.ts'

/** Ten minutes at half of the capacity, and ten at four fifths. */
export const sustained: Part = {
  name: 'sustained',
  about: 'produced → listed for 10 minutes at 50 % of capacity, and for 10 at 80 %',
  rounds: 1,
  run: withLateEviction((context) =>
    withPaths(context, async ({ runAt }) => {
      const figures: Figure[] = []
      for (const percent of [50, 80]) {
        const found = await runAt['produced → listed'](percent, context.smoke ? 0.5 : 600)
        context.log(`${percent} %: ${showDistribution(found)}`)
        figures.push(...sustainedFigures(percent, found))
      }
      return figures
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
