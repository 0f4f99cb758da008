import { drawPictures } from './pictures.ts'
import { resultTable } from './result-table.ts'
import { type PartResults, type SavedResults, showMachine } from './saved-results.ts'

/** The files of a report by name: the pictures, and the table with its setup, dates and machines. */
export function reportOf(saved: SavedResults): Record<string, string> {
  const pictures = Object.entries(drawPictures(saved.parts, saved.history)).map(([name, svg]) => [`${name}.svg`, svg])
  return { ...Object.fromEntries(pictures), 'table.md': `${tableText(saved)}\n` }
}

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
  const { commit, kafka, mongodb, node, options } = setup
  const optionTexts = Object.entries(options).map(([name, value]) => `${name} \`${value}\``)
  return [
    `Commit ${commit}, ${days}; ${machines.join('; ')}; Node.js ${node}, Kafka ${kafka}, MongoDB ${mongodb}.`,
    `Options: ${optionTexts.join(', ') || 'not recorded'}. Rounds: ${rounds.join(', ')}.`,
    resultTable(
      all.flatMap(({ figures }) => figures),
      history,
    ),
  ].join('\n\n')
}
