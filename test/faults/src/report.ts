/** The result of a part. */
export type Row = {
  part: string
  verdict: 'passed' | 'failed' | 'skipped'
  reason?: string
  seconds: number
  times: number
  inFlight: { least: number; median: number }
  acknowledged: number
  expected: number
  stored: number
  doubled: number
  lost: number
  deadLettersExpected: number
  deadLettersFound: number
  deadLettersRepeated: number
  offsetViolations: number
  samples: number
  violations: string[]
  notes?: Record<string, unknown>
  summary?: string
}

const columns: readonly [title: string, (row: Row) => string | number][] = [
  ['fault', (row) => row.part],
  ['times', (row) => row.times],
  ['in flight (least/median)', (row) => (row.times > 0 ? `${row.inFlight.least}/${row.inFlight.median}` : '-')],
  ['acknowledged', (row) => row.acknowledged],
  ['expected', (row) => row.expected],
  ['stored', (row) => row.stored],
  ['doubled', (row) => row.doubled],
  ['lost', (row) => row.lost],
  ['dead letters expected/found', (row) => `${row.deadLettersExpected}/${row.deadLettersFound}`],
  ['offset violations', (row) => row.offsetViolations],
  ['samples', (row) => row.samples],
  ['seconds', (row) => Math.round(row.seconds)],
  ['verdict', (row) => row.verdict],
]

/** Formats the results as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, value]) => String(value(row))))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => (line[index] ?? '').length)))
  const lines = cells.map((line) => `| ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`)
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** The line with the counts that every check of the project prints; a part that did not run counts as failed. */
export function countsOf(rows: readonly Row[], selected: number): string {
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length
  const failed = count('failed') + selected - rows.length
  return `${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`
}
