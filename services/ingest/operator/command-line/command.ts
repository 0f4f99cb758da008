import type { KafkaPort } from '@herald/kafka'
import type { Clock, SettingsSchema } from '@herald/runtime'
import type { Store } from '@herald/store'
import type { z } from 'zod'
import type { KafkaSettings, migrateSettingsSchema } from '#ingest/settings/config'
import type { Line } from './terminal.ts'

export type CommandContext = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly print: (line: Line) => void
  /** Prints progress, hints and errors, which are not part of the result. */
  readonly note: (line: string) => void
  readonly clock: Clock
  /** Waits for so many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<unknown>
  readonly version: string
  readonly openStore: (settings: z.output<typeof migrateSettingsSchema>) => Store
  readonly openKafka: (settings: KafkaSettings) => KafkaPort
  /** Registers what is closed after the command, last in, first out. */
  readonly release: (close: () => Promise<void>) => void
}

/** A command of `herald`: its words, its settings and options as schemas, and its work. */
export type Command<Options extends z.ZodObject = z.ZodObject, Settings extends SettingsSchema = SettingsSchema> = {
  readonly name: string
  readonly summary: string
  /** Required argument without a name, which becomes the option `argument`. */
  readonly argument?: { readonly value: string; readonly description: string }
  readonly options: Options
  readonly settings?: Settings
  readonly notes?: readonly string[]
  /** @returns the exit code */
  readonly run: (
    options: z.output<Options>,
    context: CommandContext & { readonly settings: z.output<Settings> },
  ) => Promise<number>
}

/** Keeps the types of options and settings between the schemas and the work. */
export function defineCommand<Options extends z.ZodObject, Settings extends SettingsSchema>(
  command: Command<Options, Settings>,
): Command {
  return command as unknown as Command
}

/** Exit codes of all commands; those of `where` are beside its answers. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly lines: readonly string[]
  readonly exitCode: number

  constructor(lines: string | readonly string[], exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super([lines].flat().join('\n'), options)
    this.lines = [lines].flat()
    this.exitCode = exitCode
  }
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Runs an operation on a dependency. @throws CommandFailure with a line that names the dependency */
export async function from<Result>(dependency: 'Kafka' | 'MongoDB', operation: Promise<Result>): Promise<Result> {
  try {
    return await operation
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause
    throw new CommandFailure(`${dependency} is unavailable: ${messageOf(cause)}`, exitCodes.failed, { cause })
  }
}
