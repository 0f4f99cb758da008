import { toError } from '../logging/logged-error.ts'
import type { Logger } from '../logging/logger.ts'
import { timedOut, withTimeLimit } from './time-limit.ts'

type Releaser = { readonly name: string; readonly release: () => unknown; readonly limitMs: number }

const defaultLimitMs = 5_000

/** What must be released at the end: the last acquired first, each against its own limit. */
export function createReleasers(logger: Pick<Logger, 'info' | 'error'>) {
  const pending: Releaser[] = []
  let releasing = Promise.resolve()

  async function releaseOne({ name, release, limitMs }: Releaser): Promise<void> {
    try {
      const outcome = await withTimeLimit(Promise.resolve().then(release), limitMs)
      if (outcome === timedOut) logger.error({ releaser: name, limitMs }, 'Release timed out, continuing')
      else logger.info({ releaser: name }, 'Released')
    } catch (thrown) {
      logger.error({ releaser: name, err: toError(thrown) }, 'Release failed')
    }
  }

  async function releaseEach(): Promise<void> {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) await releaseOne(next)
  }

  return {
    /** Remembers how to release what was just acquired. What is added while all is being released is released, too. */
    add(name: string, release: () => unknown, { limitMs = defaultLimitMs }: { readonly limitMs?: number } = {}): void {
      pending.push({ name, release, limitMs })
    },
    /** Releases what is there, each once. Never throws: what hangs or fails is logged and passed over. */
    releaseAll(): Promise<void> {
      releasing = releasing.then(releaseEach)
      return releasing
    },
  }
}

export type Releasers = ReturnType<typeof createReleasers>
