import { setTimeout as pause } from 'node:timers/promises'
import type { User } from '../query/population.ts'

type Page = {
  readonly data: {
    readonly notifications: readonly { readonly id: string }[]
    readonly nextCursor: string | null
  }
}

const usersAtOnce = 8
const waitMs = 60_000
const pauseMs = 500

export type FeedCounts = { readonly expected: number; readonly lost: number; readonly doubled: number }

/** Reads the whole feed of every user, waiting for up to a minute for what is missing, and compares the counts. */
export async function checkFeeds(
  queryUrl: string,
  users: readonly User[],
  expected: readonly number[],
): Promise<FeedCounts> {
  const deadline = performance.now() + waitMs
  const found = { expected: 0, lost: 0, doubled: 0 }
  let next = 0
  const lane = async () => {
    for (let index = next++; index < users.length; index = next++) {
      const count = expected[index] ?? 0
      let ids = await idsOf(queryUrl, users[index] as User)
      while (new Set(ids).size < count && performance.now() < deadline) {
        await pause(pauseMs)
        ids = await idsOf(queryUrl, users[index] as User)
      }
      const distinct = new Set(ids).size
      found.expected += count
      found.lost += Math.max(0, count - distinct)
      found.doubled += ids.length - distinct + Math.max(0, distinct - count)
    }
  }
  await Promise.all(Array.from({ length: usersAtOnce }, lane))
  return found
}

async function idsOf(queryUrl: string, { token }: User): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = null; ; ) {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const response = await fetch(`${queryUrl}/?limit=100${query}`, { headers: { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`A page returned ${response.status}: ${await response.text()}`)
    const { data } = (await response.json()) as Page
    ids.push(...data.notifications.map(({ id }) => id))
    if (data.nextCursor === null) return ids
    cursor = data.nextCursor
  }
}
