import { type Command, type CommandContext, CommandFailure, exitCodes } from './command.ts'
import { showCommandHelp, showHelp } from './help.ts'
import { parseCommandLine } from './parse-command-line.ts'

/** Runs the words after `herald`. Never throws. @returns the exit code */
export async function runCommandLine(
  words: readonly string[],
  commands: readonly Command[],
  context: CommandContext,
): Promise<number> {
  const { print, note, style, build } = context
  const parsed = parseCommandLine(words, commands)
  if (parsed.kind === 'version') {
    print([build.version, build.revision].filter(Boolean).join(' '))
    return exitCodes.done
  }
  if (parsed.kind === 'help') {
    for (const line of parsed.command ? showCommandHelp(parsed.command, style) : showHelp(commands, style)) print(line)
    return exitCodes.done
  }
  if (parsed.kind === 'invalid') {
    for (const issue of parsed.issues) note(issue)
    note(`See herald ${parsed.command ? `${parsed.command.name} --help` : '--help'}`)
    return exitCodes.usage
  }
  try {
    return await parsed.command.run(parsed.options, context)
  } catch (error) {
    note(error instanceof Error ? error.message : String(error))
    return error instanceof CommandFailure ? error.exitCode : exitCodes.failed
  }
}
