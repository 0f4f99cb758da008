import type { z } from 'zod'
import type { Command } from './command.ts'
import { describeOption } from './option.ts'
import { type Line, toColumns } from './terminal.ts'

const heading = (text: string): Line => ({ format: 'bold', text })

export function showHelp(commands: readonly Command[]): Line[] {
  return [
    'Finds events, shows the state of Herald, and repairs it.',
    '',
    heading('Usage'),
    '  herald COMMAND [OPTIONS]',
    '',
    heading('Commands'),
    ...toColumns(commands.map(({ name, summary }) => [name, summary])),
    '',
    'herald COMMAND --help shows the options of a command; herald --version the version.',
    'Connections come from the environment, as for the service: KAFKA_BROKERS, MONGODB_URI and the others.',
    'Exit codes: 0 done, 1 failed or unavailable, 2 invalid command line or settings; those of where are in its help.',
  ]
}

export function showCommandHelp({ name, summary, argument, options, notes = [] }: Command): Line[] {
  const rows = Object.entries(options.shape as Record<string, z.ZodType>)
    .filter(([option]) => option !== 'argument')
    .map(([option, schema]) => {
      const { value = '', description, isRequired, isRepeatable } = describeOption(schema)
      const remarks = [isRequired ? 'required' : [], isRepeatable ? 'repeatable' : []].flat()
      const remark = remarks.length > 0 ? ` [${remarks.join(', ')}]` : ''
      return [`--${option} ${value}`.trimEnd(), description + remark] as const
    })
  return [
    summary,
    '',
    heading('Usage'),
    `  herald ${[name, argument?.value ?? [], rows.length > 0 ? '[OPTIONS]' : []].flat().join(' ')}`,
    ...(argument === undefined ? [] : ['', ...toColumns([[argument.value, argument.description]])]),
    ...(rows.length === 0 ? [] : ['', heading('Options'), ...toColumns(rows)]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ]
}
