import type { z } from 'zod'
import type { BudgetDefinition } from './shares/budgets.ts'

/** A process as its operators configure it. */
export type ConfiguredProcess = {
  readonly name: 'ingest' | 'query' | 'seal'
  readonly settings: Readonly<Record<string, z.ZodType>>
  readonly budgets: readonly BudgetDefinition[]
}

type Row = { readonly cells: readonly string[]; readonly processes: Set<string> }

/** The column that names the processes of a row. */
const processColumn = 1

/**
 * Returns the page of settings with the rows of a process as its schema and budgets define them. Processes share a row in which
 * everything else is equal, and rows of other processes stay.
 */
export function withSettingsOf(page: string, { name, settings, budgets }: ConfiguredProcess): string {
  const ofBudgets = new Set(budgets.map(({ setting }) => setting))
  const others = Object.entries(settings).filter(([setting]) => !ofBudgets.has(setting))
  const withSettings = withRows(page, 'settings', name, others.map(settingCells))
  return withRows(withSettings, 'budgets', name, budgets.map(budgetCells))
}

function settingCells([name, setting]: [string, z.ZodType]): string[] {
  const { success, data } = setting.safeParse(undefined)
  const preset = String(data ?? '')
  return [`\`${name}\``, success ? preset && `\`${preset}\`` : 'required', setting.description ?? '']
}

const budgetCells = ({ setting, counts, sum, userShare, beyond }: BudgetDefinition): string[] => [
  ...[`\`${setting}\``, counts, ...[1, 1 / 2, userShare].map((share) => amountText(sum * share))],
  beyond ?? 'refused',
]

const amountText = (amount: number) => (amount < 2 ** 20 ? String(amount) : `${amount / 2 ** 20} MiB`)

/** Returns the page with the rows of a process in the table between the comments of a region. */
function withRows(page: string, region: string, process: string, wanted: readonly (readonly string[])[]): string {
  const [before, after] = [`<!-- ${region} -->\n\n`, `\n\n<!-- end of ${region} -->`]
  const [start, end] = [page.indexOf(before) + before.length, page.indexOf(after)]
  if (start < before.length || end < start) throw new Error(`The page lacks the region ${region}`)
  const [header = '', , ...lines] = page.slice(start, end).split('\n')
  const rows = lines.map(readRow)
  for (const { processes } of rows) processes.delete(process)
  let next = 0
  for (const cells of wanted) {
    const at = rows.findIndex((row) => row.cells.join('|') === cells.join('|'))
    if (at < 0) rows.splice(next, 0, { cells, processes: new Set([process]) })
    else rows[at]?.processes.add(process)
    next = (at < 0 ? next : at) + 1
  }
  const used = rows.filter(({ processes }) => processes.size > 0)
  return `${page.slice(0, start)}${tableOf(cellsOf(header), used.map(toCells))}${page.slice(end)}`
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

function readRow(line: string): Row {
  const cells = cellsOf(line)
  const [names = ''] = cells.splice(processColumn, 1)
  return { cells, processes: new Set(names.split(', ')) }
}

const toCells = ({ cells, processes }: Row) => cells.toSpliced(processColumn, 0, [...processes].toSorted().join(', '))

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
