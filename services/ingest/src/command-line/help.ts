import type { z } from 'zod'
import type { Command } from './command.ts'
import { describeOption } from './option.ts'
import { type Style, toColumns } from './style.ts'

/** The help of all commands. */
export function showHelp(commands: readonly Command[], style: Style): string[] {
  return [
    'Finds events, shows the state of Herald, and repairs it.',
    '',
    style('bold', 'Usage'),
    '  herald COMMAND [OPTIONS]',
    '',
    style('bold', 'Commands'),
    ...toColumns(commands.map(({ name, summary }) => [name, summary] as const)),
    '',
    'herald COMMAND --help shows the options of a command; herald --version the version.',
    'Connections come from the environment, as for the service: KAFKA_BROKERS, MONGODB_URI and the others.',
    'Exit codes: 0 done, 1 failed or unavailable, 2 invalid command line or settings; those of where are in its help.',
  ]
}

/** The help of one command. */
export function showCommandHelp(command: Command, style: Style): string[] {
  const rows = Object.entries(command.options.shape as Record<string, z.ZodType>)
    .filter(([name]) => name !== 'argument')
    .map(([name, schema]) => {
      const { value, description, isRequired, isRepeatable, choices } = describeOption(schema)
      const remarks = [isRequired ? 'required' : '', isRepeatable ? 'repeatable' : ''].filter(Boolean)
      const words = choices && choices.length <= 6 ? ` (${choices.join(', ')})` : ''
      return [
        `--${name}${value === undefined ? '' : ` ${value}`}`,
        `${description}${words}${remarks.length > 0 ? ` [${remarks.join(', ')}]` : ''}`,
      ] as const
    })
  const { name, summary, argument, notes = [] } = command
  return [
    summary,
    '',
    style('bold', 'Usage'),
    `  herald ${name}${argument === undefined ? '' : ` ${argument.value}`}${rows.length > 0 ? ' [OPTIONS]' : ''}`,
    ...(argument === undefined ? [] : ['', ...toColumns([[argument.value, argument.description]])]),
    ...(rows.length === 0 ? [] : ['', style('bold', 'Options'), ...toColumns(rows)]),
    ...notes.flatMap((note) => ['', note]),
  ]
}
