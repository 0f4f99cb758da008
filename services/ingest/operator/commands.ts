import { checkMappingsCommand } from './check-mappings/check-mappings.ts'
import type { Command } from './command-line/command.ts'
import { deadLetterCommands } from './dead-letters/dead-letter-commands.ts'
import { deriveSubscriberCommand } from './derive-subscriber-command.ts'
import { eraseCommand, retractCommand } from './events/event-commands.ts'
import { migrateCommand } from './migrate-command.ts'
import { restoredCommand } from './restored/restored-command.ts'
import { logOriginsCommand } from './status/log-origins-command.ts'
import { logStatusCommand } from './status/log-status-command.ts'
import { statusCommand } from './status/status-command.ts'
import { whereCommand } from './where/where-command.ts'

export const commands: readonly Command[] = [
  whereCommand,
  statusCommand,
  logStatusCommand,
  logOriginsCommand,
  restoredCommand,
  retractCommand,
  eraseCommand,
  ...deadLetterCommands,
  checkMappingsCommand,
  deriveSubscriberCommand,
  migrateCommand,
]
