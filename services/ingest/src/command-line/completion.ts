import type { z } from 'zod'
import type { Command } from './command.ts'
import { describeOption } from './option.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

type Completed = {
  readonly words: readonly string[]
  readonly summary: string
  readonly options: readonly {
    readonly name: string
    readonly description: string
    readonly value?: string
    readonly choices: readonly string[]
  }[]
  readonly arguments: readonly string[]
  readonly takesFile: boolean
}

/** The completion script of a shell, generated from the commands. */
export function showCompletion(shell: Shell, commands: readonly Command[]): string {
  const completed = commands.map(toCompleted)
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](completed)
}

function toCompleted({ name, summary, options, argument }: Command): Completed {
  const shape = Object.entries(options.shape as Record<string, z.ZodType>).filter(([key]) => key !== 'argument')
  return {
    words: name.split(' '),
    summary,
    options: shape.map(([option, schema]) => {
      const { description, value, choices = [] } = describeOption(schema)
      // Words with spaces would need quoting.
      const words = choices.filter((word) => !word.includes(' '))
      return { name: `--${option}`, description, ...(value === undefined ? {} : { value }), choices: words }
    }),
    arguments: argument?.choices ?? [],
    takesFile: argument?.value === 'FILE',
  }
}

const firstWords = (commands: readonly Completed[]) => [...new Set(commands.map(({ words: [first = ''] }) => first))]
const secondWords = (commands: readonly Completed[], first: string) =>
  commands.flatMap(({ words: [word, second] }) => (word === first && second !== undefined ? [second] : []))

function bashScript(commands: readonly Completed[]): string {
  const cases = commands.flatMap(({ words, options, arguments: own, takesFile }) => [
    `    '${words.join(' ')}'*)`,
    '      case $previous in',
    ...options.flatMap(({ name, value, choices }) => {
      if (value === undefined) return []
      const isPath = ['FILE', 'RECORDS'].includes(value)
      return [`        ${name}) words='${choices.join(' ')}' ${isPath ? 'files=1 ' : ''};;`]
    }),
    `        *) words='${[...own, ...options.map(({ name }) => name), '--help'].join(' ')}'${takesFile ? ' files=1' : ''} ;;`,
    '      esac ;;',
  ])
  const groups = firstWords(commands).flatMap((first) => {
    const second = secondWords(commands, first)
    return second.length === 0 ? [] : [`    ${first}) words='${second.join(' ')}' ;;`]
  })
  return [
    '_herald() {',
    `  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words= files=`,
    `  case "\${COMP_WORDS[*]:1:$((COMP_CWORD-1))}" in`,
    `    '') words='${[...firstWords(commands), 'help', '--version'].join(' ')}' ;;`,
    ...groups,
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi',
    '}',
    'complete -F _herald herald',
  ].join('\n')
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** zsh runs the script of bash. */
function zshScript(commands: readonly Completed[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`
}

function fishScript(commands: readonly Completed[]): string {
  const firsts = firstWords(commands)
  const seen = (words: readonly string[]) => words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
  const lines = firsts.flatMap((first) => {
    const [own] = commands.filter(({ words }) => words[0] === first)
    const summary = secondWords(commands, first).length === 0 ? (own?.summary ?? '') : `${first} commands`
    return [`complete -c herald -n __fish_use_subcommand -a ${first} -d ${quote(summary)}`]
  })
  const nested = commands.flatMap(({ words: [first, second], summary }) => {
    if (second === undefined) return []
    const siblings = secondWords(commands, first ?? '').join(' ')
    return [
      `complete -c herald -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${siblings}' -a ${second} -d ${quote(summary)}`,
    ]
  })
  const options = commands.flatMap(({ words, options: own, arguments: choices, takesFile }) => [
    ...(choices.length > 0 ? [`complete -c herald -n '${seen(words)}' -a ${quote(choices.join(' '))}`] : []),
    ...own.map(({ name, description, value, choices }) => {
      const isPath = value === 'FILE' || value === 'RECORDS'
      const argument =
        value === undefined ? '' : choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : isPath ? ' -r -F' : ' -x'
      return `complete -c herald -n '${seen(words)}' -l ${name.slice(2)}${argument} -d ${quote(description)}`
    }),
    ...(takesFile ? [`complete -c herald -n '${seen(words)}' -F`] : []),
  ])
  return ['complete -c herald -f', ...lines, ...nested, ...options].join('\n')
}
