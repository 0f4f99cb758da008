import { parseArgs } from 'node:util'
import type { z } from 'zod'
import type { Command } from './command.ts'
import { describeOption } from './option.ts'

/** A parsed command line, or the reason why it is invalid. */
export type ParsedCommandLine =
  | { readonly kind: 'run'; readonly command: Command; readonly options: Readonly<Record<string, unknown>> }
  | { readonly kind: 'help'; readonly command?: Command | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'invalid'; readonly issues: readonly string[]; readonly command?: Command | undefined }

/** Parses the words after `herald`. Reports all invalid options at once. */
export function parseCommandLine(words: readonly string[], commands: readonly Command[]): ParsedCommandLine {
  const [first = 'help'] = words
  if (first === '--version') return { kind: 'version' }
  if (first === 'help' || first === '--help' || first === '-h') {
    return { kind: 'help', command: findCommand(words.slice(1), commands) }
  }
  const command = findCommand(words, commands)
  if (command === undefined) return unknownCommand(words, commands)
  const rest = words.slice(command.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) return { kind: 'help', command }
  return parseOptions(rest, command)
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
}

function unknownCommand([first = '', second]: readonly string[], commands: readonly Command[]): ParsedCommandLine {
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length === 0) return { kind: 'invalid', issues: [`Unknown command ${first}`] }
  if (second === undefined || second === '--help') return { kind: 'help' }
  return {
    kind: 'invalid',
    issues: [`Unknown command ${first} ${second}; one of ${group.map(({ name }) => name).join(', ')}`],
  }
}

function parseOptions(words: readonly string[], command: Command): ParsedCommandLine {
  const { argument } = command
  const shape = Object.entries(command.options.shape as Record<string, z.ZodType>)
  const named = shape.filter(([name]) => name !== 'argument')
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({
      args: [...words],
      allowPositionals: argument !== undefined,
      options: Object.fromEntries(
        named.map(([name, schema]) => {
          const { value, isRepeatable = false } = describeOption(schema)
          return [name, { type: value === undefined ? 'boolean' : 'string', multiple: isRepeatable }]
        }),
      ),
    })
  } catch (error) {
    return { kind: 'invalid', command, issues: [error instanceof Error ? error.message : String(error)] }
  }
  const [first, ...others] = parsed.positionals
  if (others.length > 0) return { kind: 'invalid', command, issues: [`Unexpected argument ${others[0]}`] }
  const given = { ...parsed.values, ...(first === undefined ? {} : { argument: first }) }
  const checked = command.options.safeParse(given, {
    error: (issue) => (issue.input === undefined ? 'Required' : undefined),
  })
  if (checked.success) return { kind: 'run', command, options: checked.data }
  const place = (name: PropertyKey | undefined) => (name === 'argument' ? (argument?.value ?? '') : `--${String(name)}`)
  return {
    kind: 'invalid',
    command,
    issues: checked.error.issues.map(({ path: [name], message }) =>
      name === undefined ? message : `${place(name)}: ${message}`,
    ),
  }
}
