import { setTimeout as sleep } from 'node:timers/promises'
import type { HealthCheck, Logger } from '@herald/runtime'

export type StorageGate = {
  /** Whether collections and indexes exist. Checks until they do; throws while MongoDB is unavailable. */
  isOpen(): Promise<boolean>
  /** Waits until they exist. Rejects when the signal aborts. */
  opened(signal: AbortSignal): Promise<void>
}

export type StorageGateDependencies = {
  /** The readiness check of MongoDB. */
  readonly storage: Pick<HealthCheck, 'check'>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly everyMs?: number
}

/**
 * Holds back writes until `migrate` has run, since a write to a missing collection would create it without its options.
 * Stays open once opened.
 */
export function createStorageGate({ storage, logger, everyMs = 1_000 }: StorageGateDependencies): StorageGate {
  let wasOpen = false
  let asking: Promise<string | undefined> | undefined

  /** @returns the reason while the storage is not ready */
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
        const missing = await findMissing().catch(() => 'MongoDB is unavailable')
        if (missing !== undefined && missing !== last) logger.warn({ missing }, 'Waiting for MongoDB before consuming')
        last = missing
        if (!wasOpen) await sleep(everyMs, undefined, { signal })
      }
      signal.throwIfAborted()
      if (last !== undefined) logger.info('MongoDB is ready')
    },
  }
}
