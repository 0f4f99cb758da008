import { createHeraldClient } from '@herald/client'
import type { TokenIssuer } from '@herald/token-issuer'
import { pause, until } from '../until.ts'
import type { Violations } from './violations.ts'

export type Reader = { readonly userId: string; readonly subscriberId: string }

/** Users who list their feeds again and again: what was listed once must be listed from then on. */
export type FeedReaders = {
  add(readers: readonly Reader[]): Promise<void>
  /** Waits until each has ended a list that it has begun since; also one that failed, unless it must succeed. */
  haveListed(outcome?: 'or tried' | 'successfully'): Promise<void>
  /** @returns the number of lists */
  stop(): Promise<number>
}

type Lists = { triedAt: number; listedAt: number }

export function readFeeds(url: string, tokens: TokenIssuer, violations: Violations): FeedReaders {
  const all: Lists[] = []
  const running: Promise<void>[] = []
  let isStopped = false
  let count = 0

  const read = async ({ userId, subscriberId }: Reader, token: string, lists: Lists): Promise<void> => {
    const { notifications } = createHeraldClient({ baseUrl: url, token, retry: { retries: 0 } })
    const seen = new Set<string>()
    while (!isStopped) {
      const begunAt = performance.now()
      try {
        const listed = new Set<string>()
        for await (const { id } of notifications.iterate({ limit: 100 })) listed.add(id)
        for (const id of seen) {
          if (!listed.has(id)) violations.add('stream', `${userId} of ${subscriberId} no longer sees ${id}`)
        }
        for (const id of listed) seen.add(id)
        lists.listedAt = begunAt
        count++
      } catch {
        // Unavailable while there is no primary.
      }
      lists.triedAt = begunAt
      await pause(100)
    }
  }

  return {
    async add(readers) {
      for (const reader of readers) {
        const token = await tokens.sign({ sub: reader.userId, subscriber_id: reader.subscriberId })
        const lists = { triedAt: 0, listedAt: 0 }
        all.push(lists)
        running.push(read(reader, token, lists))
      }
    },
    async haveListed(outcome = 'or tried') {
      const since = performance.now()
      const lastOf = ({ triedAt, listedAt }: Lists) => (outcome === 'or tried' ? triedAt : listedAt)
      await until('all readers to list their feeds', () => all.every((lists) => lastOf(lists) > since), { everyMs: 20 })
    },
    async stop() {
      isStopped = true
      await Promise.all(running)
      return count
    },
  }
}
