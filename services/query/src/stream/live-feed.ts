import type { Logger } from '@herald/runtime'
import { type FeedChanges, type Position, StorageUnavailableError } from '@herald/store'
import type { ChangeStep } from './audience.ts'
import type { StreamOptions } from './options.ts'
import { backoffMs, breathe, pause } from './pause.ts'

export type LiveFeedDependencies = {
  readonly watch: FeedChanges['watch']
  /** @returns whether sockets should be given time before the next change */
  readonly onChange: (step: ChangeStep) => boolean
  /** What happened for a while will never be told. */
  readonly onLost: () => void
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly options: Pick<StreamOptions, 'openMs' | 'minPauseMs' | 'maxPauseMs'>
}

/** The one change stream of this process, opened anew from where it was for as long as it is wanted. */
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
            logger.error('The position of the change stream is lost: every client must list again')
            lost = true
            after = undefined
            break
          }
          failures = 0
          after = position = step.position
          opened.resolve()
          if (lost) onLost()
          lost = false
          if (step.kind === 'change' && onChange(step)) await breathe()
        }
      } catch (err) {
        if (signal.aborted) return
        logger.warn({ err, failures }, 'The change stream broke and is opened again')
        opened.reject(new StorageUnavailableError('The change stream can’t be opened', { cause: err }))
        if (position === undefined) renew()
      }
      await pause(backoffMs(failures++, options), signal)
    }
  }

  function renew(): void {
    opened = Promise.withResolvers<void>()
    // Perhaps nobody waits for it just now.
    opened.promise.catch(() => {})
  }

  return {
    /** Up to where everything was told; `undefined` while it is not open. */
    get position() {
      return position
    },
    /** Opens it unless it is open. @throws StorageUnavailableError when that can't be done now; it goes on trying */
    async open(): Promise<void> {
      if (!stop) {
        stop = new AbortController()
        renew()
        running = follow(stop.signal)
      }
      if (position !== undefined) return
      const limit = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => limit.reject(new StorageUnavailableError('The change stream does not open')),
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

export type LiveFeed = ReturnType<typeof createLiveFeed>
