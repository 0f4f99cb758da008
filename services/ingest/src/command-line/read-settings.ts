import { type LoadedSettings, loadSettings, type SettingsSchema } from '@herald/runtime'
import type { z } from 'zod'
import type { CommandSettings } from '../config.ts'
import { type CommandContext, CommandFailure, exitCodes } from './command.ts'

/** @throws CommandFailure that names every invalid variable */
export function readSettings<Schema extends SettingsSchema>(
  schema: Schema,
  { environment }: Pick<CommandContext, 'environment'>,
): z.output<Schema> {
  const loaded: LoadedSettings<Schema> = loadSettings(schema, environment)
  if (loaded.ok) return loaded.settings
  const lines = loaded.issues.map(({ name, detail }) => `${name}: ${detail}`)
  throw new CommandFailure(lines.join('\n'), exitCodes.usage)
}

/** The topics that ingest reads. */
export function topicsReadBy(settings: CommandSettings): string[] {
  const { KAFKA_MENTION_TOPIC, KAFKA_CHANGE_TOPIC, KAFKA_RECEIPT_TOPIC, KAFKA_PRIVACY_TOPIC, CDC_MAPPINGS } = settings
  const privacy = KAFKA_PRIVACY_TOPIC === undefined ? [] : [KAFKA_PRIVACY_TOPIC]
  return [KAFKA_MENTION_TOPIC, KAFKA_CHANGE_TOPIC, KAFKA_RECEIPT_TOPIC, ...privacy, ...(CDC_MAPPINGS?.topics ?? [])]
}

/** Runs an operation on a dependency. @throws CommandFailure with a line that names the dependency */
export async function from<Result>(dependency: 'Kafka' | 'MongoDB', operation: Promise<Result>): Promise<Result> {
  try {
    return await operation
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFailure(`${dependency} is unavailable: ${reason}`, exitCodes.failed, { cause })
  }
}
