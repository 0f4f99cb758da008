import type { Figure } from '../figure.ts'
import { type Distribution, quantileNames, quantiles, showDistribution } from '../load/distribution.ts'
import { type Path, withPaths } from '../load/paths.ts'
import type { Part } from '../part.ts'
import { withLateEviction } from './late-eviction.ts'

const levels = [20, 40, 60, 80, 90, 100] as const

/**
 * The levels of a round, which starts with another one than the round before: MongoDB writes a checkpoint every 60 s, about as
 * often as a round begins, and one level would always have it.
 */
const turned = (all: readonly number[], round: number) =>
  all.map((_, index) => all[(index + round) % all.length] as number)

/** How latencies grow with the load: both paths in an open loop, each at shares of what this machine can do. */
export const knee: Part = {
  name: 'knee',
  about: `produced → listed, and a page, at ${levels.join(', ')} % of capacity`,
  rounds: 5,
  run: withLateEviction((context) =>
    withPaths(context, async (paths) => {
      const figures: Figure[] = paths.capacities
      const chosen = context.smoke ? ([20, 80] as const) : levels
      for (const path of ['produced → listed', 'page'] as const) {
        const measured = new Map<number, Distribution[]>(chosen.map((percent) => [percent, []]))
        for (let round = 1; round <= context.rounds; round++) {
          for (const percent of turned(chosen, round)) {
            const found = await paths.runAt[path](percent, context.smoke ? 0.2 : 10)
            measured.get(percent)?.push(found)
            context.log(`round ${round} of ${context.rounds}, ${path} at ${percent} %: ${showDistribution(found)}`)
          }
        }
        figures.push(...chosen.flatMap((percent) => pointsOf(path, percent, measured.get(percent) ?? [])))
      }
      return figures
    }),
  ),
}

function pointsOf(path: Path, percent: number, measured: readonly Distribution[]): Figure[] {
  return quantileNames.map((name) => ({
    what: `${path} at ${percent} % of capacity, ${quantiles[name]}`,
    unit: 'ms',
    measured: measured.map((found) => found[name]),
    point: { picture: 'knee', line: `${path}, ${quantiles[name]}`, x: percent },
    ...(percent === 80 && name === 'p99' && { goal: { atMost: 100 } }),
  }))
}
