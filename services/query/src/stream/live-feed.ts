import { backoffMs, type Logger } from '@herald/runtime'
import { type FeedChanges, type Position, StorageUnavailableError } from '@herald/store'
import type { ChangeStep } from './audience.ts'
import type { StreamOptions } from './options.ts'
import { letSocketsWrite, pause } from './pause.ts'

export type LiveFeedDependencies = {
  readonly watch: FeedChanges['watch']
  /** @returns whether sockets should get time to write before the next change */
  readonly onChange: (step: ChangeStep) => boolean
  /** Called when changes were lost, once there is a new position. */
  readonly onLost: () => void
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly options: Pick<StreamOptions, 'openMs' | 'minPauseMs' | 'maxPauseMs'>
}

/** The change stream of this process. It reopens at its last position until it is closed. */
export function createLiveFeed({ watch, onChange, onLost, logger, options }: LiveFeedDependencies) {
  let position: Position | undefined
  let stop: AbortController | undefined
  let running = Promise.resolve()
  let opened = Promise.withResolvers<void>()

  async function follow(signal: AbortSignal): Promise<void> {
    let after: Position | undefined
    let lost = false
    let failures = 0
    while (!signal.aborted) {
      try {
        for await (const step of watch({ after, signal })) {
          if (signal.aborted) return
          if (step.kind === 'lost') {
            logger.error('Change stream position lost, resetting every client')
            lost = true
            after = undefined
            break
          }
          failures = 0
          after = position = step.position
          opened.resolve()
          if (lost) onLost()
          lost = false
          if (step.kind === 'change' && onChange(step)) await letSocketsWrite()
        }
      } catch (err) {
        if (signal.aborted) return
        logger.warn({ err, failures }, 'Change stream failed, reopening')
        opened.reject(new StorageUnavailableError('The change stream cannot be opened', { cause: err }))
        if (position === undefined) resetOpened()
      }
      await pause(backoffMs(failures++, options), signal)
    }
  }

  function resetOpened(): void {
    opened = Promise.withResolvers<void>()
    // It may have no waiters, and must not become an unhandled rejection.
    opened.promise.catch(() => {})
  }

  return {
    /** The position up to which everything was passed on; `undefined` while the stream is not open. */
    get position() {
      return position
    },
    /**
     * Opens the stream unless it is open.
     *
     * @throws StorageUnavailableError after a failure or a timeout; it continues to retry
     */
    async open(): Promise<void> {
      if (!stop) {
        stop = new AbortController()
        resetOpened()
        running = follow(stop.signal)
      }
      if (position !== undefined) return
      const limit = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => limit.reject(new StorageUnavailableError('Timed out opening the change stream')),
        options.openMs,
      )
      await Promise.race([opened.promise, limit.promise]).finally(() => clearTimeout(timer))
    },
    async close(): Promise<void> {
      stop?.abort()
      stop = undefined
      position = undefined
      await running
    },
  }
}
