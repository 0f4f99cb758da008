import { quantile } from '../measure.ts'

export type Figures = Record<string, number>

const show = (value: number) =>
  value >= 1_000 ? Math.round(value).toLocaleString('en') : value >= 100 ? value.toFixed(0) : value.toPrecision(3)

/**
 * A Markdown table with one row per figure: median, minimum and maximum of every layout, and its ratio to the first one.
 * The ratio is the median of the ratios within each round, which other load on the machine affects least.
 */
export function comparisonTable(rounds: ReadonlyMap<string, readonly Figures[]>): string {
  const names = [...rounds.keys()]
  const reference = rounds.get(names[0] ?? '') ?? []
  const cell = (name: string, figure: string) => {
    const own = (rounds.get(name) ?? []).map((figures) => figures[figure] ?? Number.NaN)
    const ratios = own.map((value, round) => value / (reference[round]?.[figure] ?? Number.NaN))
    const range = `${show(quantile(own, 0))}–${show(quantile(own, 1))}`
    const ratio = name === names[0] ? '' : ` ×${quantile(ratios, 0.5).toFixed(2)}`
    return `${show(quantile(own, 0.5))} (${range})${ratio}`
  }
  const rows = Object.keys(reference[0] ?? {}).map((figure) => [figure, ...names.map((name) => cell(name, figure))])
  const heading = ['median (min–max) ×ratio', ...names]
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
