import type { Clock } from '@herald/runtime'
import type { Store, StoreOptions } from '@herald/store'
import type { z } from 'zod'
import type { KafkaSettings } from '../config.ts'
import type { KafkaPort } from '../consume/kafka-port.ts'
import type { Style } from './style.ts'

/** Everything that a command may use. It reads the environment only for settings. */
export type CommandContext = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Prints a line of the result. */
  readonly print: (line: string) => void
  /** Prints progress, hints and errors, which are not part of the result. */
  readonly note: (line: string) => void
  /** Clears the terminal before a new picture; does nothing in a pipe. */
  readonly clear: () => void
  readonly style: Style
  readonly clock: Clock
  /** From then on, an interrupt by the user aborts the signal and does not end the process. */
  readonly untilInterrupted: () => AbortSignal
  readonly build: { readonly version: string; readonly revision?: string }
  /** Opens a store that is closed after the command. */
  readonly openStore: (options: Omit<StoreOptions, 'applicationName'>) => Store
  readonly openKafka: (settings: KafkaSettings) => KafkaPort
  /** Registers what is closed after the command, last in, first out. */
  readonly release: (close: () => Promise<void>) => void
}

/** A command of `herald`: its words, its options as a schema, and its work. */
export type Command<Schema extends z.ZodObject = z.ZodObject> = {
  /** One or two words. */
  readonly name: string
  readonly summary: string
  /** Required argument without a name, which becomes the option `argument`. */
  readonly argument?: { readonly value: string; readonly description: string; readonly choices?: readonly string[] }
  /** Options by name; see `option`. */
  readonly options: Schema
  /** Paragraphs of its help. */
  readonly notes?: readonly string[]
  /** @returns the exit code */
  readonly run: (options: z.output<Schema>, context: CommandContext) => Promise<number>
}

/** Keeps the type of the options between the schema and the work. */
export function defineCommand<Schema extends z.ZodObject>(command: Command<Schema>): Command {
  return command as unknown as Command
}

/** Exit codes of all commands; those of `where` are beside its answers. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** Ends a command with a message for the user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
