import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { judgedValues, type Result } from '../figure.ts'
import { type History, withoutRuns, withRun } from './history.ts'
import { reportOf } from './report.ts'
import { isSameSetup, type Setup } from './setup.ts'

/** The results of a part. */
export type PartResults = {
  readonly date: string
  readonly machine: { readonly cpus: number; readonly model: string; readonly memoryBytes: number }
  readonly rounds: number
  readonly figures: readonly Result[]
}

/** The last results of each part, and their values in the last runs, all of one setup, those of a part on one machine. */
export type SavedResults = {
  readonly setup?: Setup
  readonly parts: Readonly<Record<string, PartResults>>
  readonly history: History
}

export const noResults: SavedResults = { parts: {}, history: {} }

export function partResults(figures: readonly Result[], rounds: number): PartResults {
  const { length, 0: first } = cpus()
  const machine = { cpus: length, model: first?.model ?? '', memoryBytes: totalmem() }
  return { date: new Date().toISOString(), machine, rounds, figures }
}

export async function readResults(folder: string): Promise<SavedResults> {
  const { setup, parts } = await readJson(`${folder}/results.json`, noResults)
  return { ...(setup && { setup }), parts, history: await readJson(`${folder}/history.json`, {}) }
}

const readJson = <T>(file: string, missing: T): Promise<T> => readFile(file, 'utf8').then(JSON.parse, () => missing)

/**
 * Adds the results of a part. Drops everything of another setup, so that all rows of the table, and all values of a median, are
 * of one commit and of the same versions of servers; and what another machine has measured of this part.
 *
 * @param order the names of all parts in the order of the report
 */
export function withPart(
  saved: SavedResults,
  setup: Setup,
  order: readonly string[],
  name: string,
  part: PartResults,
): SavedResults {
  const { parts, history } = isSameSetup(saved.setup, setup) ? saved : noResults
  const all = { ...parts, [name]: part }
  const values = part.figures.flatMap(judgedValues)
  const before = parts[name]
  const isOther = before !== undefined && showMachine(before) !== showMachine(part)
  return {
    setup,
    parts: Object.fromEntries(order.flatMap((key) => (all[key] ? [[key, all[key]] as const] : []))),
    history: withRun(isOther ? withoutRuns(history, values) : history, values, part.date),
  }
}

/** Its processors; those of a virtual machine may have the same name and another speed. */
export const showMachine = ({ machine: { cpus, model } }: PartResults) => `${cpus} cores (${model})`

/** Writes `results.json`, `history.json` and the report of them. */
export async function saveResults(folder: string, saved: SavedResults): Promise<void> {
  const { setup, parts, history } = saved
  const files = { 'results.json': toJson({ setup, parts }), 'history.json': toJson(history), ...reportOf(saved) }
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(`${folder}/${name}`, text)
}

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`
