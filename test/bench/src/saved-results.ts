import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import process from 'node:process'
import type { Result } from './figure.ts'
import { plot } from './plot.ts'

/** The results of a part, with date and machine. */
export type PartResults = {
  readonly date: string
  readonly machine: object
  readonly rounds: number
  readonly figures: readonly Result[]
}

export function partResults(figures: readonly Result[], rounds: number): PartResults {
  const { length, 0: first } = cpus()
  const machine = { cpus: length, model: first?.model ?? '', memoryBytes: totalmem(), node: process.version }
  return { date: new Date().toISOString(), machine, rounds, figures }
}

/**
 * Writes `results.json` and `results.svg`. Parts that were not measured keep their previous results, so that a single part
 * can be measured again.
 *
 * @param order the names of all parts in the order of the report
 */
export async function saveResults(
  folder: string,
  order: readonly string[],
  measured: Readonly<Record<string, PartResults>>,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const file = `${folder}/results.json`
  const before: Record<string, PartResults> = await readFile(file, 'utf8').then(JSON.parse, () => ({}))
  const all = order.flatMap((name) => {
    const part = measured[name] ?? before[name]
    return part === undefined ? [] : [[name, part] as const]
  })
  await writeFile(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
  await writeFile(`${folder}/results.svg`, plot(all.flatMap(([, { figures }]) => figures)))
}
