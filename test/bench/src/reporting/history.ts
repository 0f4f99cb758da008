import { type Goal, isMet, type Judged, median } from '../figure.ts'

type HistoryEntry = { readonly date: string; readonly value: number }

/** The values of the last runs of each figure with a goal, oldest first, by {@link Judged.name}. All are of one setup. */
export type History = Readonly<Record<string, readonly HistoryEntry[]>>

export type Verdict = 'met' | 'not met' | 'undecided'

const keptRuns = 5
/** With fewer runs a goal is undecided. */
export const leastRuns = 3

export function withRun(history: History, values: readonly Judged[], date: string): History {
  const added = values.map(({ name, value }) => {
    const runs = [...(history[name] ?? []), { date, value }]
    return [name, runs.slice(-keptRuns)] as const
  })
  return { ...history, ...Object.fromEntries(added) }
}

export function withoutRuns(history: History, values: readonly Judged[]): History {
  const dropped = new Set(values.map(({ name }) => name))
  return Object.fromEntries(Object.entries(history).filter(([name]) => !dropped.has(name)))
}

export const runsOf = (history: History, name: string): number => history[name]?.length ?? 0

/** The median over the last runs: a goal missed twice and then reached on the same code is not met. */
export function medianOfRuns(history: History, name: string): number {
  return median((history[name] ?? []).map(({ value }) => value))
}

export function verdictOf(history: History, name: string, goal: Goal): Verdict {
  if (runsOf(history, name) < leastRuns) return 'undecided'
  return isMet(goal, medianOfRuns(history, name)) ? 'met' : 'not met'
}
