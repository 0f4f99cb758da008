import type { FeedChanges } from '@herald/feed'
import { backoffMs, createTurns, type Logger, pause, within } from '@herald/runtime'
import { type Position, StorageUnavailableError } from '@herald/store'
import type { ChangeStep } from './audience.ts'
import { createLateness } from './lateness.ts'
import { maxTurnMs, type StreamOptions } from './options.ts'

export type LiveFeedDependencies = {
  readonly watch: FeedChanges['watch']
  /** Called before a change that may have been stored long before. If it rejects, the change is not lost: it comes again. */
  readonly onLate: (step: ChangeStep) => Promise<void>
  /** Called with each position that was reached, before its change is passed on. */
  readonly onMoved: (position: Position) => void
  /** @returns whether it was written to any client */
  readonly onChange: (step: ChangeStep) => boolean
  /** Called when changes were lost, once there is a new position. */
  readonly onLost: () => void
  readonly logger: Pick<Logger, 'warn' | 'error'>
  /** By MongoDB's clock, in milliseconds. */
  readonly now: () => number
  readonly behindMs: (position: Position) => number
  readonly options: Pick<StreamOptions, 'openMs' | 'minPauseMs' | 'maxPauseMs' | 'lateMs'>
}

/** The change stream of this process. It reopens at its last position until it is closed. */
export function createLiveFeed(dependencies: LiveFeedDependencies) {
  const { watch, onLate, onMoved, onChange, onLost, logger, now, behindMs, options } = dependencies
  let position: Position | undefined
  let stop: AbortController | undefined
  let running = Promise.resolve()
  let opened = Promise.withResolvers<void>()

  async function follow(signal: AbortSignal): Promise<void> {
    let after: Position | undefined
    let lost = false
    let failures = 0
    const yieldTurn = createTurns(maxTurnMs)
    while (!signal.aborted) {
      try {
        const isLate = createLateness({ isResumed: after !== undefined, lateMs: options.lateMs, now, behindMs })
        for await (const step of watch({ after, signal })) {
          if (step.kind !== 'lost' && isLate(step.position) && step.kind === 'change') await onLate(step)
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
          onMoved(position)
          await yieldTurn(step.kind === 'change' && onChange(step))
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
      await within(options.openMs, opened.promise).catch((cause) => {
        if (cause instanceof StorageUnavailableError) throw cause
        throw new StorageUnavailableError('The change stream is not open', { cause })
      })
    },
    async close(): Promise<void> {
      stop?.abort()
      stop = undefined
      position = undefined
      await running
    },
  }
}
