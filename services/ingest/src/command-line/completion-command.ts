import { z } from 'zod'
import { type Command, defineCommand, exitCodes } from './command.ts'
import { type Shell, shells, showCompletion } from './completion.ts'
import { choice } from './option.ts'

const loading: Readonly<Record<Shell, string>> = {
  bash: 'source <(herald completion bash)',
  zsh: 'source <(herald completion zsh), after compinit',
  fish: 'herald completion fish | source',
}

/** Completes the other commands. */
export function createCompletionCommand(others: readonly Command[]): Command {
  const command: Command = defineCommand({
    name: 'completion',
    summary: 'Prints a script that completes commands and options in bash, zsh or fish',
    argument: { value: 'SHELL', description: shells.join(', '), choices: shells },
    options: z.object({ argument: choice(shells) }),
    notes: shells.map((shell) => `${shell}: ${loading[shell]}`),
    async run({ argument }, { print }) {
      print(showCompletion(argument, [...others, command]))
      return exitCodes.done
    },
  })
  return command
}
