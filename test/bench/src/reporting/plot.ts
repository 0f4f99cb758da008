import { type Goal, judgedValues, type Result } from '../figure.ts'
import { showNumber } from '../show-number.ts'
import { type History, medianOfRuns, type Verdict, verdictOf } from './history.ts'
import { showGoal } from './result-table.ts'

const width = 860
const rowHeight = 34
const labelWidth = 380
const barWidth = 360

type Row = { readonly label: string; readonly share: number; readonly text: string; readonly verdict: Verdict }

/** The medians of the last runs as bars relative to their goals: a longer bar is better. For light and dark pages. */
export function plot(results: readonly Result[], history: History): string {
  const rows = results.flatMap((result) => toRows(result, history))
  const longest = Math.max(1.5, ...rows.map(({ share }) => Math.min(share, 3)))
  const height = rows.length * rowHeight + 40
  const goalX = labelWidth + barWidth / longest
  const bars = rows.map((row, index) => drawRow(row, 30 + index * rowHeight, barWidth / longest))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Measured figures against their goals">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.figure { fill: #59636e }
.met { fill: #2da44e }
.missed { fill: #d1782a }
.undecided { fill: #8c959f }
line { stroke: #59636e; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .figure { fill: #9198a1 } line { stroke: #9198a1 } }
</style>
<text class="figure" x="${goalX}" y="16" text-anchor="middle">goal</text>
<line x1="${goalX}" y1="22" x2="${goalX}" y2="${height - 10}"/>
${bars.join('\n')}
</svg>
`
}

function toRows(result: Result, history: History): Row[] {
  return judgedValues(result).map(({ name, goal }) => {
    const value = medianOfRuns(history, name)
    const unit = result.ratio === undefined ? ` ${result.unit}` : ''
    const text = `${showNumber(value)}${unit} (${showGoal(goal)})`
    return { label: name, share: shareOf(goal, value), text, verdict: verdictOf(history, name, goal) }
  })
}

const shareOf = (goal: Goal, value: number) => ('atLeast' in goal ? value / goal.atLeast : goal.atMost / value)

const classes: Record<Verdict, string> = { met: 'met', 'not met': 'missed', undecided: 'undecided' }

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function drawRow({ label, share, text, verdict }: Row, y: number, unitWidth: number): string {
  const length = Math.max(2, Math.min(share, 3) * unitWidth)
  const shown = label.length > 62 ? `${label.slice(0, 61)}…` : label
  return `<text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end">${escapeXml(shown)}</text>
<rect class="${classes[verdict]}" x="${labelWidth}" y="${y + 3}" width="${length.toFixed(1)}" height="16" rx="3"/>
<text class="figure" x="${labelWidth + length + 8}" y="${y + 15}">${escapeXml(text)}</text>`
}
