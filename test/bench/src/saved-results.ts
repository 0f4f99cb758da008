import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import process from 'node:process'
import { promisify } from 'node:util'
import { judgedValues, type Result } from './figure.ts'
import { type History, withRun } from './history.ts'
import { plot } from './plot.ts'
import { writeTable } from './table-in-readme.ts'

/** The results of a part. */
export type PartResults = {
  readonly commit: string
  readonly date: string
  readonly machine: object
  readonly rounds: number
  readonly figures: readonly Result[]
}

export type SavedResults = { readonly parts: Readonly<Record<string, PartResults>>; readonly history: History }

const run = promisify(execFile)
const folderOfResults = new URL('../results', import.meta.url).pathname
const readmeWithResults = new URL('../README.md', import.meta.url).pathname

/** The current commit; with `+changes` when files other than results are modified. */
export async function currentCommit(): Promise<string> {
  const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD'])
  // Saving a part writes both.
  const written = [folderOfResults, readmeWithResults].map((path) => `:(exclude)${path}`)
  const { stdout: changes } = await run('git', ['status', '--porcelain', '--', ':/', ...written])
  return `${commit.trim()}${changes === '' ? '' : '+changes'}`
}

export function partResults(figures: readonly Result[], rounds: number, commit: string): PartResults {
  const { length, 0: first } = cpus()
  const machine = { cpus: length, model: first?.model ?? '', memoryBytes: totalmem(), node: process.version }
  return { commit, date: new Date().toISOString(), machine, rounds, figures }
}

export async function readResults(folder: string): Promise<SavedResults> {
  return { parts: await readJson(`${folder}/results.json`), history: await readJson(`${folder}/history.json`) }
}

const readJson = (file: string) => readFile(file, 'utf8').then(JSON.parse, () => ({}))

/**
 * Adds the results of a part. Drops parts of other commits, so that all rows of the table are of one commit.
 *
 * @param order the names of all parts in the order of the report
 */
export function withPart(saved: SavedResults, order: readonly string[], name: string, part: PartResults): SavedResults {
  const all = { ...saved.parts, [name]: part }
  const { commit, date, figures } = part
  return {
    parts: Object.fromEntries(order.flatMap((key) => (all[key]?.commit === commit ? [[key, all[key]] as const] : []))),
    history: withRun(saved.history, figures.flatMap(judgedValues), { commit, date }),
  }
}

/** Writes `results.json`, `history.json`, `results.svg`, and the table in README.md. */
export async function saveResults(folder: string, { parts, history }: SavedResults): Promise<void> {
  await mkdir(folder, { recursive: true })
  const figures = Object.values(parts).flatMap((part) => part.figures)
  await writeFile(`${folder}/results.json`, toJson(parts))
  await writeFile(`${folder}/history.json`, toJson(history))
  await writeFile(`${folder}/results.svg`, plot(figures, history))
  if (folder === folderOfResults) await writeTable({ parts, history })
}

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`
