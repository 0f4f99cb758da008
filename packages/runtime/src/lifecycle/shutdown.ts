import { toError } from '../logging/logged-error.ts'
import type { Logger } from '../logging/logger.ts'
import { within } from '../time/time-limit.ts'
import type { Releasers } from './releasers.ts'

export type ServiceProcess = Pick<NodeJS.Process, 'env' | 'exit' | 'on' | 'removeAllListeners'>

export type ShutdownDependencies = {
  readonly process: Pick<ServiceProcess, 'exit' | 'on'>
  readonly logger: Pick<Logger, 'info' | 'error' | 'fatal'>
  readonly releasers: Pick<Releasers, 'releaseAll'>
  /** Called first, to make the service report that it is not ready. */
  readonly startDraining?: () => void
  /** Milliseconds after which the process exits even if not everything is released. */
  readonly deadlineMs?: number | undefined
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const
const exceptionDeadlineMs = 5_000

/** Shuts down on SIGTERM and SIGINT (exit code 0; a second one exits at once), and after an uncaught exception (1). */
export function shutDownOnSignals({
  process,
  logger,
  releasers,
  startDraining = () => {},
  deadlineMs = 20_000,
}: ShutdownDependencies) {
  let exitCode: number | undefined

  async function end(code: number, limitMs: number): Promise<void> {
    exitCode = code
    try {
      startDraining()
    } catch (thrown) {
      logger.error({ err: toError(thrown) }, 'Could not start draining')
    }
    await within(limitMs, releasers.releaseAll()).catch(() => logger.error({ limitMs }, 'Shutdown deadline exceeded'))
    // One more turn of the event loop, in which an unhandled rejection of the last releaser is still reported.
    await new Promise(setImmediate)
    logger.info({ exitCode }, 'Exiting')
    process.exit(exitCode)
  }

  function onSignal(signal: keyof typeof signalNumbers): void {
    if (exitCode !== undefined) process.exit(128 + signalNumbers[signal])
    logger.info({ signal }, 'Shutting down')
    void end(0, deadlineMs)
  }

  function onException(thrown: unknown): void {
    logger.fatal({ err: toError(thrown) }, 'Uncaught exception')
    // A shutdown in progress continues, but exits with 1.
    if (exitCode === undefined) void end(1, exceptionDeadlineMs)
    else exitCode = 1
  }

  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', onException)
  process.on('unhandledRejection', onException)
  return { endAfterException: onException, isEnding: () => exitCode !== undefined }
}
