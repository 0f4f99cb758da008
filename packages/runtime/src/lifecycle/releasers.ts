import { toError } from '../logging/logged-error.ts'
import type { Logger } from '../logging/logger.ts'
import { TimedOut, within } from '../time/time-limit.ts'

type Releaser = { readonly name: string; readonly release: () => unknown; readonly limitMs: number }

const defaultLimitMs = 5_000

/** Releases acquired resources at shutdown: last in, first out, each with its own timeout. */
export function createReleasers(logger: Pick<Logger, 'info' | 'error'>) {
  const pending: Releaser[] = []
  let releasing = Promise.resolve()

  async function releaseOne({ name, release, limitMs }: Releaser): Promise<void> {
    try {
      await within(limitMs, Promise.resolve().then(release))
      logger.info({ releaser: name }, 'Released')
    } catch (thrown) {
      if (thrown instanceof TimedOut) logger.error({ releaser: name, limitMs }, 'Release timed out, continuing')
      else logger.error({ releaser: name, err: toError(thrown) }, 'Release failed')
    }
  }

  async function releaseEach(): Promise<void> {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) await releaseOne(next)
  }

  return {
    /** Registers the release of a resource just acquired. May still be called during `releaseAll`. */
    add(name: string, release: () => unknown, { limitMs = defaultLimitMs }: { readonly limitMs?: number } = {}): void {
      pending.push({ name, release, limitMs })
    },
    /** Releases every resource once. Never throws: timeouts and failures are logged and skipped. */
    releaseAll(): Promise<void> {
      releasing = releasing.then(releaseEach)
      return releasing
    },
  }
}

export type Releasers = ReturnType<typeof createReleasers>
