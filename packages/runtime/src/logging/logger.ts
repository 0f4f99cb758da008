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
  readonly name: string
  readonly destination?: DestinationStream
}

/** Creates a pino logger with ISO time and names of levels, which redacts secrets and user content at any depth. */
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
  return withRedactedBindings(pino(options, destination ?? openStandardOutput()))
}

/** Lines that standard output does not take, for example on a full disk, are kept up to this length, and then dropped. */
const keptBytes = 64 * 1024

function openStandardOutput(): DestinationStream {
  // Synchronous: by default pino reorders lines around a fatal one and an exit.
  const output = openDestination({ dest: 1, sync: true, maxLength: keptBytes })
  // Without a listener, the statement that logs would throw.
  output.on('error', () => {})
  return output
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
