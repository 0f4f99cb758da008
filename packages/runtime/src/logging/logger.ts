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
  /** Least level that is written: `fatal` … `trace`, or `silent`. */
  readonly level: string
  /** Stands in every line. */
  readonly name: string
  /** Standard output when not told. */
  readonly destination?: DestinationStream
}

/**
 * A pino logger that writes one JSON object a line: ISO time, level by name, and never a token, a cookie, a snippet, an
 * e-mail or a state, at whatever depth they are handed in.
 */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { name },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redactFields },
    // Errors are plain by then; the usual serializer would take them for errors of a type `Object`.
    serializers: { err: (error: unknown) => error },
    hooks: { streamWrite: maskSecrets },
  }
  // Written synchronously: pino's own default loses the order of lines around a fatal one and an exit.
  return withRedactedBindings(pino(options, destination ?? openDestination({ dest: 1, sync: true })))
}

// pino hands what a line holds to its formatter, but not what a child logger is made with.
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
