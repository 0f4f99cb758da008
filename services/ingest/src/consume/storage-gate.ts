import { setTimeout as sleep } from 'node:timers/promises'
import type { HealthCheck, Logger } from '@herald/runtime'

export type StorageGate = ReturnType<typeof createStorageGate>

export type StorageGateDependencies = {
  readonly storage: Pick<HealthCheck, 'check'>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly everyMs: number
}

/** Holds back writes until `migrate` has run: before, a write would create a collection without its options. */
export function createStorageGate({ storage, logger, everyMs }: StorageGateDependencies) {
  let wasOpen = false
  let asking: Promise<string | undefined> | undefined

  const ask = async (): Promise<string | undefined> => {
    const outcome = await storage.check(new AbortController().signal)
    wasOpen = outcome.ok
    return outcome.ok ? undefined : outcome.detail
  }
  const findMissing = (): Promise<string | undefined> => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
    /** Whether collections and indexes exist. Checks until they do; throws while MongoDB is unavailable. */
    async isOpen(): Promise<boolean> {
      if (!wasOpen) await findMissing()
      return wasOpen
    },
    /** Waits until they exist. Rejects when the signal aborts. */
    async opened(signal: AbortSignal): Promise<void> {
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
