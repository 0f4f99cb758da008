import { type CpuTimes, type Goal, judgedValues, median, type Result, type Spread } from '../figure.ts'
import { showNumber } from '../show-number.ts'
import { type History, leastRuns, medianOfRuns, runsOf, verdictOf } from './history.ts'

export const showGoal = (goal: Goal) => ('atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`)

const showRatio = ({ median, least, greatest }: Spread) =>
  `${median.toFixed(2)} (${least.toFixed(2)}–${greatest.toFixed(2)})`

const processes = ['service', 'mongod', 'broker'] as const

/** Microseconds per operation: `service + mongod + broker`. */
function showCpu(cpu: CpuTimes | undefined): string {
  const times = processes.flatMap((name) => cpu?.[name] ?? []).length === 0 ? [] : processes.map((name) => cpu?.[name])
  return times.map((values) => (values ? showNumber(median(values)) : '–')).join(' + ')
}

/** A verdict applies to the median of the last runs, of which there must be three. */
function showGoals(result: Result, history: History): string {
  return judgedValues(result)
    .map(({ name, goal }) => {
      const runs = runsOf(history, name)
      const verdict = verdictOf(history, name, goal)
      const shown = { met: 'met', 'not met': '**missed**', undecided: `${runs} of ${leastRuns} runs` }[verdict]
      const value = runs > 1 ? ` (${medianOfRuns(history, name).toFixed(2)})` : ''
      const what = name.endsWith('CPU time') ? 'CPU ' : ''
      return `${what}${showGoal(goal)}: ${shown}${value}`
    })
    .join('<br>')
}

const heading = ['figure', 'median (min–max)', 'compared with', 'ratio (min–max)', 'goal (last runs)', 'CPU µs (ratio)']

/**
 * A Markdown table with one row per result. CPU times are microseconds per operation of the service, MongoDB and the broker,
 * and those of the comparison after the slash. A figure with several comparisons is repeated as `″`.
 */
export function resultTable(results: readonly Result[], history: History): string {
  const shown = results.filter(({ point, goal }) => point === undefined || goal !== undefined)
  const rows = shown.map((result) => {
    const { what, unit, summary, beside, ratio, cpu, cpuRatio } = result
    const cpuTimes = [showCpu(cpu), showCpu(beside?.cpu)].filter(Boolean).join(' / ')
    return [
      what,
      `${showNumber(summary.median)} ${unit} (${showNumber(summary.least)}–${showNumber(summary.greatest)})`,
      beside ? `${beside.name}: ${showNumber(median(beside.measured))}` : '',
      ratio ? showRatio(ratio) : '',
      showGoals(result, history),
      [cpuTimes, cpuRatio ? `(${cpuRatio.median.toFixed(2)})` : ''].filter(Boolean).join(' '),
    ]
  })
  const isRepeated = (at: number) =>
    at > 0 && rows[at]?.[0] === rows[at - 1]?.[0] && rows[at]?.[1] === rows[at - 1]?.[1]
  const cells = rows.map((row, at) => (isRepeated(at) ? ['″', '″', ...row.slice(2)] : row))
  return [heading, heading.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
