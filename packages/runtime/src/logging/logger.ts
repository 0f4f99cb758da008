import {
  type DestinationStream,
  destination as openDestination,
  type Logger as PinoLogger,
  pino,
  stdTimeFunctions,
} from 'pino'
import { maskSecrets, redact } from './redaction.ts'

export type Logger = PinoLogger

export type LoggerOptions = {
  /** Minimum log level: `fatal` … `trace`, or `silent`. */
  readonly level: string
  /** Name of the service, part of every line. */
  readonly name: string
  /** Standard output by default. */
  readonly destination?: DestinationStream
}

/**
 * Creates a pino logger that writes JSON lines with ISO time and the name of the level. Tokens, cookies, snippets, e-mail
 * addresses and states are redacted at any depth.
 */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { name },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redactFields },
    // `redact` has already serialized errors; pino's serializer would report their type as `Object`.
    serializers: { err: (error: unknown) => error },
    hooks: { streamWrite: maskSecrets },
  }
  // Synchronous: by default pino reorders lines around a fatal one and an exit.
  return withRedactedBindings(pino(options, destination ?? openDestination({ dest: 1, sync: true })))
}

// pino passes the fields of a line to its formatter, but not the bindings of a child logger.
function withRedactedBindings(logger: Logger): Logger {
  const { child } = logger
  logger.child = function childWithRedactedBindings(this: Logger, bindings: object, options?: object) {
    return child.call(this, redactFields(bindings), options)
  } as Logger['child']
  return logger
}

function redactFields(fields: object): Record<string, unknown> {
  return redact(fields) as Record<string, unknown>
}
