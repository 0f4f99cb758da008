import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { mustHave, runCommand } from '@herald/test-servers'

/** A command with its first arguments and its environment. */
export type Runnable = {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** The programs of a language, built in a folder. */
export type Programs = {
  /** Lists, marks and follows; takes the base URL and a token. */
  readonly client: Runnable
  /** The example of `examples/publishers`. */
  readonly publisher: Runnable
}

export type Language = {
  readonly name: string
  /** Its example, relative to `examples/publishers`. */
  readonly example: string
  /** The value of `source` in the example. */
  readonly source: string
  /** Returns why its tests cannot run here, or undefined. */
  whyNot(): Promise<string | undefined>
  /** Generates a client from the OpenAPI document and builds both programs. */
  build(document: string, folder: string): Promise<Programs>
}

const testFolder = dirname(dirname(fileURLToPath(import.meta.url)))

/** Files of this workspace. */
export const ownFile = (...path: readonly string[]) => join(testFolder, ...path)
export const exampleFile = (...path: readonly string[]) => join(testFolder, '../../examples/publishers', ...path)

export const findOptions = { environment: process.env, log: (line: string) => void process.stderr.write(`${line}\n`) }

/** Without a locale, Java 17 reads sources and arguments as ASCII. */
export const inUtf8 = (environment: NodeJS.ProcessEnv) => ({ ...process.env, LC_ALL: 'C.UTF-8', ...environment })

export const run = (command: string, args: readonly string[], folder: string, environment: NodeJS.ProcessEnv = {}) =>
  runCommand(command, args, { environment: inUtf8(environment), folder })

/** @throws Error if the machine must have the program: `HERALD_MUST_HAVE` */
export function orFail(program: string, reason: string | undefined): string | undefined {
  if (reason !== undefined && mustHave(program)) throw new Error(`HERALD_MUST_HAVE: ${reason}`)
  return reason
}
