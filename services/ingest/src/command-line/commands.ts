import { statusCommand } from '../status/status-command.ts'
import { whereCommand } from '../where/where-command.ts'
import { checkMappingsCommand } from './check-mappings-command.ts'
import type { Command } from './command.ts'
import { createCompletionCommand } from './completion-command.ts'
import { deadLetterCommands } from './dead-letter-commands.ts'
import { eraseCommand } from './erase-command.ts'
import { migrateCommand } from './migrate-command.ts'
import { retractCommand } from './retract-command.ts'

const working: readonly Command[] = [
  whereCommand,
  statusCommand,
  retractCommand,
  eraseCommand,
  ...deadLetterCommands,
  checkMappingsCommand,
  migrateCommand,
]

/** The commands of `herald`, in the order of its help. */
export const commands: readonly Command[] = [...working, createCompletionCommand(working)]
