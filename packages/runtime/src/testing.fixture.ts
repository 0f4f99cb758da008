import type { z } from 'zod'
import type { BudgetDefinition } from './shares/budgets.ts'

/** A process as its operators configure it. */
export type ConfiguredProcess = {
  readonly name: 'ingest' | 'query' | 'seal'
  readonly settings: Readonly<Record<string, z.ZodType>>
  readonly budgets: readonly BudgetDefinition[]
}

/** A line of the page in its two parts around the processes that it applies to. */
type Line = { readonly start: string; readonly processes: Set<string>; readonly end: string }
type Text = Pick<Line, 'start' | 'end'>

/**
 * Returns the page of settings with the lines of a process as its schema and budgets define them. Processes share a line in which
 * everything else is equal, and lines of other processes stay.
 */
export function withSettingsOf(page: string, { name, settings, budgets }: ConfiguredProcess): string {
  const ofBudgets = new Set(budgets.map(({ setting }) => setting))
  const others = Object.entries(settings).filter(([setting]) => !ofBudgets.has(setting))
  const withSettings = withLines(page, 'settings', name, others.map(settingText))
  return withLines(withSettings, 'budgets', name, budgets.map(budgetText))
}

function settingText([name, setting]: [string, z.ZodType]): Text {
  const { success, data } = setting.safeParse(undefined)
  const preset = String(data ?? '')
  const needed = success ? preset && `, \`${preset}\`` : ', required'
  return { start: `- \`${name}\``, end: `${needed}: ${setting.description ?? ''}` }
}

function budgetText({ setting, counts, sum, userShare, beyond }: BudgetDefinition): Text {
  const [process, subscriber, user] = [1, 1 / 2, userShare].map((share) => amountText(sum * share))
  return { start: `- \`${setting}\``, end: `, ${process}, ${subscriber}, ${user}: ${counts}; ${beyond ?? 'refused'}` }
}

const amountText = (amount: number) => (amount < 2 ** 20 ? String(amount) : `${amount / 2 ** 20} MiB`)

/** Returns the page with the lines of a process between the comments of a region. */
function withLines(page: string, region: string, process: string, wanted: readonly Text[]): string {
  const [before, after] = [`<!-- ${region} -->\n`, `<!-- end of ${region} -->`]
  const [start, end] = [page.indexOf(before) + before.length, page.indexOf(after)]
  if (start < before.length || end < start) throw new Error(`The page lacks the region ${region}`)
  const lines = Array.from(page.slice(start, end).matchAll(/^(- `\w+`) \((.+?)\)(.*)$/gm), readLine)
  for (const { processes } of lines) processes.delete(process)
  let next = 0
  for (const text of wanted) {
    const at = lines.findIndex((line) => line.start === text.start && line.end === text.end)
    if (at < 0) lines.splice(next, 0, { ...text, processes: new Set([process]) })
    else lines[at]?.processes.add(process)
    next = (at < 0 ? next : at) + 1
  }
  const used = lines.filter(({ processes }) => processes.size > 0).map(showLine)
  return `${page.slice(0, start)}\n${used.map((line) => `${line}\n`).join('')}\n${page.slice(end)}`
}

const readLine = ([, start = '', names = '', end = '']: RegExpExecArray): Line => ({
  start,
  processes: new Set(names.split(', ')),
  end,
})

const showLine = ({ start, processes, end }: Line) => `${start} (${[...processes].toSorted().join(', ')})${end}`
