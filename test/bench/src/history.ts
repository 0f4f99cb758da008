import { type Goal, isMet, type Judged, median } from './figure.ts'

export type HistoryEntry = { readonly commit: string; readonly date: string; readonly value: number }

/** The values of the last runs of each figure with a goal, oldest first, by {@link Judged.name}. */
export type History = Readonly<Record<string, readonly HistoryEntry[]>>

const keptRuns = 5

export function withRun(history: History, values: readonly Judged[], run: Omit<HistoryEntry, 'value'>): History {
  const added = values.map(({ name, value }) => {
    const runs = [...(history[name] ?? []), { ...run, value }]
    return [name, runs.slice(-keptRuns)] as const
  })
  return { ...history, ...Object.fromEntries(added) }
}

/** The median over the last runs: a goal missed twice and then reached on the same code is not met. */
export function medianOfRuns(history: History, name: string): number {
  return median((history[name] ?? []).map(({ value }) => value))
}

export function isMetOverRuns(history: History, name: string, goal: Goal): boolean {
  return isMet(goal, medianOfRuns(history, name))
}
