import type { Goal, Result } from './figure.ts'

export function showNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value >= 1_000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

const showGoal = (goal: Goal) => ('atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`)

/** A Markdown table with one row per result. */
export function resultTable(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.what,
    `${showNumber(result.median)} ${result.unit} (${showNumber(result.least)}–${showNumber(result.greatest)})`,
    result.beside ? `${result.beside.name}: ${showNumber(result.besideMedian ?? Number.NaN)}` : '',
    result.ratio === undefined ? '' : result.ratio.toFixed(2),
    result.goal ? showGoal(result.goal) : '',
    result.met === undefined ? '' : result.met ? 'met' : '**not met**',
  ])
  const heading = ['figure', 'median (min–max)', 'compared with', 'ratio', 'goal', '']
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
