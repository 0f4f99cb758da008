import { toError } from '../logging/logged-error.ts'
import type { Logger } from '../logging/logger.ts'
import type { Releasers } from './releasers.ts'
import { timedOut, withTimeLimit } from './time-limit.ts'

/** What of the process a service touches. */
export type ServiceProcess = Pick<NodeJS.Process, 'env' | 'exit' | 'on' | 'removeAllListeners'>

export type ShutdownDependencies = {
  readonly process: Pick<ServiceProcess, 'exit' | 'on'>
  readonly logger: Pick<Logger, 'info' | 'error' | 'fatal'>
  readonly releasers: Pick<Releasers, 'releaseAll'>
  /** Called first: the service says that it is not ready any more. */
  readonly startDraining?: () => void
  /** Milliseconds after which the process exits, whatever is not released. */
  readonly deadlineMs?: number
  /** The same after a fault that nobody caught. */
  readonly faultDeadlineMs?: number
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * Ends the process in good order at SIGTERM and SIGINT, with exit code 0, even when something hangs. A second signal
 * exits at once, with 128 and its number. What nobody caught is logged and ends the process with exit code 1.
 */
export function shutDownOnSignals({
  process,
  logger,
  releasers,
  startDraining = () => {},
  deadlineMs = 20_000,
  faultDeadlineMs = 5_000,
}: ShutdownDependencies) {
  let exitCode: number | undefined

  async function end(code: number, limitMs: number): Promise<void> {
    exitCode = code
    try {
      startDraining()
    } catch (thrown) {
      logger.error({ err: toError(thrown) }, 'Could not start draining')
    }
    const outcome = await withTimeLimit(releasers.releaseAll(), limitMs)
    if (outcome === timedOut) logger.error({ limitMs }, 'Shutdown deadline exceeded')
    // One more turn, in which a fault of the last releaser still comes to light.
    await new Promise(setImmediate)
    logger.info({ exitCode }, 'Exiting')
    process.exit(exitCode)
  }

  function onSignal(signal: keyof typeof signalNumbers): void {
    if (exitCode !== undefined) process.exit(128 + signalNumbers[signal])
    logger.info({ signal }, 'Shutting down')
    void end(0, deadlineMs)
  }

  function onFault(thrown: unknown): void {
    logger.fatal({ err: toError(thrown) }, 'Uncaught exception')
    // In the middle of a shutdown it goes on, but says in the end that not all was well.
    if (exitCode === undefined) void end(1, faultDeadlineMs)
    else exitCode = 1
  }

  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', onFault)
  process.on('unhandledRejection', onFault)
  return { endAfterFault: onFault, isEnding: () => exitCode !== undefined }
}
