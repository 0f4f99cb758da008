import { readFile, writeFile } from 'node:fs/promises'
import { performanceText } from './performance-text.ts'
import { drawPictures } from './pictures.ts'
import { resultTable } from './result-table.ts'
import { type PartResults, type SavedResults, showMachine } from './saved-results.ts'

/** The files with results between markers, and what is written there. */
export const readmes = [
  { name: 'this README', file: new URL('../../README.md', import.meta.url), text: tableText },
  {
    name: 'the README of the workspace',
    file: new URL('../../../../README.md', import.meta.url),
    text: performanceText,
  },
] as const
const [begin, end] = ['<!-- results: begin -->', '<!-- results: end -->'] as const

const captions = {
  knee: 'Latency over the share of capacity',
  backlog: 'Latency while ingest catches up',
  mixed: 'Latency with all loads together, relative to each alone',
}

/** Setup, date and machine of the results, their table, and their pictures. */
function tableText({ setup, parts, history }: SavedResults): string {
  const all = Object.values(parts)
  if (all.length === 0 || setup === undefined) return 'No results.'
  const onMachine = Object.entries(
    Object.groupBy(Object.keys(parts), (name) => showMachine(parts[name] as PartResults)),
  )
  const machines = onMachine.map(([machine, names = []]) =>
    onMachine.length === 1 ? machine : `${machine} for ${names.map((name) => `\`${name}\``).join(', ')}`,
  )
  const days = [...new Set(all.map(({ date }) => date.slice(0, 10)))].toSorted().join(', ')
  const rounds = Object.entries(parts).map(([name, part]) => `\`${name}\` ${part.rounds}`)
  const { commit, product, kafka, mongodb, node, options } = setup
  const pictures = drawPictures(parts, history)
  const optionTexts = Object.entries(options).map(([name, value]) => `${name} \`${value}\``)
  return [
    `Commit ${commit} (product ${product}), ${days}; ${machines.join('; ')}; Node.js ${node}, Kafka ${kafka}, MongoDB ${mongodb}.`,
    `Options: ${optionTexts.join(', ') || 'not recorded'}. Rounds: ${rounds.join(', ')}.`,
    resultTable(
      all.flatMap(({ figures }) => figures),
      history,
    ),
    ...Object.entries(captions).flatMap(([name, caption]) =>
      name in pictures ? [`![${caption}](results/${name}.svg)`] : [],
    ),
  ].join('\n\n')
}

export async function writeReadmes(results: SavedResults): Promise<void> {
  for (const { file, text } of readmes) {
    const found = await readFile(file, 'utf8')
    const [start, stop] = [found.indexOf(begin), found.indexOf(end)]
    if (start < 0 || stop < start) throw new Error(`${file.pathname} lacks the markers ${begin} and ${end}`)
    await writeFile(file, `${found.slice(0, start + begin.length)}\n\n${text(results)}\n\n${found.slice(stop)}`)
  }
}
