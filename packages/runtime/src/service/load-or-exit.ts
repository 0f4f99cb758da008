import type { z } from 'zod'
import { unsupportedNode } from '../lifecycle/node-version.ts'
import type { Logger } from '../logging/logger.ts'
import { loadSettings, type SettingsSchema } from '../settings/settings.ts'

/** The settings of a program. If they are invalid, or Node.js is too old, it logs why and exits with code 1. */
export function loadOrExit<Schema extends SettingsSchema>(
  schema: Schema,
  process: Pick<NodeJS.Process, 'env' | 'exit'>,
  logger: Pick<Logger, 'fatal'>,
): z.output<Schema> {
  const unsupported = unsupportedNode()
  if (unsupported) {
    logger.fatal(unsupported)
    return process.exit(1)
  }
  const loaded = loadSettings(schema, process.env)
  if (loaded.ok) return loaded.settings
  for (const { name, detail } of loaded.issues) logger.fatal({ setting: name }, `${name}: ${detail}`)
  return process.exit(1)
}
