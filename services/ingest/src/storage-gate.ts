import { setTimeout as sleep } from 'node:timers/promises'
import type { HealthCheck, Logger } from '@herald/runtime'

export type StorageGate = {
  /** Whether collections and indexes were there once; asks while they were not. Throws when MongoDB can't be asked. */
  isOpen(): Promise<boolean>
  /** Asks until they are there. Rejects when the signal aborts. */
  opened(signal: AbortSignal): Promise<void>
}

export type StorageGateDependencies = {
  /** The readiness check of MongoDB. */
  readonly storage: Pick<HealthCheck, 'check'>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly everyMs?: number
}

/**
 * Holds back every write until `migrate` has run: one into a collection that does not exist would make it, and of the wrong
 * kind. Once open it stays so, for what is there does not go away again.
 */
export function createStorageGate({ storage, logger, everyMs = 1_000 }: StorageGateDependencies): StorageGate {
  let wasOpen = false
  let asking: Promise<string | undefined> | undefined

  /** @returns what is missing */
  const ask = async (): Promise<string | undefined> => {
    const outcome = await storage.check(new AbortController().signal)
    if (!outcome.ok) return outcome.detail
    wasOpen = true
    return undefined
  }
  const findMissing = (): Promise<string | undefined> => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
    async isOpen() {
      if (!wasOpen) await findMissing()
      return wasOpen
    },
    async opened(signal) {
      let last: string | undefined
      while (!wasOpen) {
        const missing = await findMissing().catch(() => 'MongoDB does not answer')
        if (missing !== undefined && missing !== last)
          logger.warn({ missing }, 'Consuming starts once MongoDB is ready')
        last = missing
        if (!wasOpen) await sleep(everyMs, undefined, { signal })
      }
      signal.throwIfAborted()
      if (last !== undefined) logger.info('MongoDB is ready')
    },
  }
}
