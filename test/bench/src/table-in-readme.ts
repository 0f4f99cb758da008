import { readFile, writeFile } from 'node:fs/promises'
import { resultTable } from './report.ts'
import type { SavedResults } from './saved-results.ts'

const readme = new URL('../README.md', import.meta.url)
const [begin, end] = ['<!-- results: begin -->', '<!-- results: end -->'] as const

/** The text between the markers in README.md: commit, date and machine of the results, and their table. */
export function tableText({ parts, history }: SavedResults): string {
  const all = Object.values(parts)
  const [first] = all
  if (first === undefined) return 'No results.'
  const { cpus, model, node } = first.machine as { cpus: number; model: string; node: string }
  const days = [...new Set(all.map(({ date }) => date.slice(0, 10)))].join(', ')
  const rounds = Object.entries(parts).map(([name, part]) => `\`${name}\` ${part.rounds}`)
  return [
    `Commit ${first.commit}, ${days}; ${cpus} cores (${model}), Node.js ${node}. Rounds: ${rounds.join(', ')}.`,
    resultTable(
      all.flatMap(({ figures }) => figures),
      history,
    ),
  ].join('\n\n')
}

export async function writeTable(results: SavedResults): Promise<void> {
  const text = await readFile(readme, 'utf8')
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)]
  if (start < 0 || stop < start) throw new Error(`README.md lacks the markers ${begin} and ${end}`)
  await writeFile(readme, `${text.slice(0, start + begin.length)}\n\n${tableText(results)}\n\n${text.slice(stop)}`)
}
