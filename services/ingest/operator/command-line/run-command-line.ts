import { parseArgs } from 'node:util'
import { loadSettings } from '@herald/runtime'
import { z } from 'zod'
import { type Command, type CommandContext, CommandFailure, exitCodes, messageOf } from './command.ts'
import { showCommandHelp, showHelp } from './help.ts'
import { describeOption } from './option.ts'

/** Runs the words after `herald`. Never throws. @returns the exit code */
export async function runCommandLine(
  words: readonly string[],
  commands: readonly Command[],
  context: CommandContext,
): Promise<number> {
  const { print, note, version, environment } = context
  try {
    if (words[0] === '--version') {
      print([version, environment.HERALD_REVISION ?? []].flat().join(' '))
      return exitCodes.done
    }
    const { command, options } = parseCommandLine(words, commands)
    if (command && options) {
      const settings = readSettings(command.settings ?? z.object({}), environment)
      return await command.run(options, { ...context, settings })
    }
    for (const line of command ? showCommandHelp(command) : showHelp(commands)) print(line)
    return exitCodes.done
  } catch (error) {
    const { lines, exitCode } = error instanceof CommandFailure ? error : new CommandFailure(messageOf(error))
    for (const line of lines) note(line)
    return exitCode
  }
}

/** @throws CommandFailure that names every invalid variable */
function readSettings(schema: NonNullable<Command['settings']>, environment: CommandContext['environment']) {
  const loaded = loadSettings(schema, environment)
  if (loaded.ok) return loaded.settings
  const lines = loaded.issues.map(({ name, detail }) => `${name}: ${detail}`)
  throw new CommandFailure(lines, exitCodes.usage)
}

/**
 * Parses the words after `herald`.
 *
 * @returns without options if help is asked for, of one command or of all
 * @throws CommandFailure that names all invalid options
 */
export function parseCommandLine(
  words: readonly string[],
  commands: readonly Command[],
): { readonly command?: Command | undefined; readonly options?: Readonly<Record<string, unknown>> } {
  const [first = 'help', second] = words
  if (['help', '--help', '-h'].includes(first)) return { command: findCommand(words.slice(1), commands) }
  const command = findCommand(words, commands)
  if (command === undefined) {
    const group = commands.map(({ name }) => name).filter((name) => name.startsWith(`${first} `))
    if (group.length > 0 && (second === undefined || second === '--help')) return {}
    const known = group.length > 0 ? ` ${second}; one of ${group.join(', ')}` : ''
    throw invalid([`Unknown command ${first}${known}`])
  }
  const rest = words.slice(command.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) return { command }
  return { command, options: parseOptions(rest, command) }
}

const findCommand = (words: readonly string[], commands: readonly Command[]) =>
  commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))

const invalid = (issues: readonly string[], command?: Command) =>
  new CommandFailure([...issues, `See herald ${command ? `${command.name} ` : ''}--help`], exitCodes.usage)

function parseOptions(words: readonly string[], command: Command): Record<string, unknown> {
  const { argument } = command
  const { argument: _, ...named } = command.options.shape
  const kinds = Object.entries(named as Record<string, z.ZodType>).map(([name, schema]) => {
    const { value, isRepeatable = false } = describeOption(schema)
    return [name, { type: value === undefined ? 'boolean' : 'string', multiple: isRepeatable }] as const
  })
  let parsed: ReturnType<typeof parseArgs>
  try {
    const options = Object.fromEntries(kinds)
    parsed = parseArgs({ args: [...words], allowPositionals: argument !== undefined, options })
  } catch (error) {
    throw invalid([messageOf(error)], command)
  }
  const [first, ...others] = parsed.positionals
  if (others.length > 0) throw invalid([`Unexpected argument ${others[0]}`], command)
  const given = first === undefined ? parsed.values : { ...parsed.values, argument: first }
  const checked = command.options.safeParse(given, {
    error: (issue) => (issue.input === undefined ? 'Required' : undefined),
  })
  if (checked.success) return checked.data
  const issues = checked.error.issues.map(({ path: [name], message }) => {
    if (name === undefined) return message
    return `${name === 'argument' ? argument?.value : `--${String(name)}`}: ${message}`
  })
  throw invalid(issues, command)
}
