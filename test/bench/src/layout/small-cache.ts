import type { Db } from 'mongodb'

/**
 * Runs `task` with a WiredTiger cache smaller than the data, between two checkpoints.
 *
 * @returns the result of the task, the blocks read into the cache and the bytes written from it
 */
export async function withSmallCache<T>(db: Db, task: () => Promise<T>) {
  const cache = async () => (await db.admin().serverStatus()).wiredTiger.cache as Record<string, number>
  const resize = async (bytes: number) => {
    await db.admin().command({ setParameter: 1, wiredTigerEngineRuntimeConfig: `cache_size=${bytes}` })
  }
  const since = (before: Record<string, number>, after: Record<string, number>, name: string) =>
    (after[name] ?? 0) - (before[name] ?? 0)
  await db.admin().command({ fsync: 1 })
  const before = await cache()
  await resize(64 * 2 ** 20)
  try {
    const result = await task()
    await db.admin().command({ fsync: 1 })
    const after = await cache()
    return {
      result,
      blocksRead: since(before, after, 'pages read into cache'),
      bytesWritten: since(before, after, 'bytes written from cache'),
    }
  } finally {
    await resize(before['maximum bytes configured'] ?? 2 ** 30)
  }
}
