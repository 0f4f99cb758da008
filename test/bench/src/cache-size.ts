import type { MongoClient } from 'mongodb'

/** MongoDB's default on a machine with 9 GiB. */
export const largeCacheBytes = 4 * 2 ** 30

/**
 * Runs `task` while MongoDB has at least 4 GiB of cache. The servers of the tests have 1 GiB, of which a twentieth may be dirty:
 * under a load that writes everywhere in hundreds of logs or feeds, MongoDB then writes the same pages again and again.
 */
export async function withLargeCache<T>(client: MongoClient, task: () => Promise<T>): Promise<T> {
  const admin = client.db('admin')
  const { wiredTiger } = await admin.command({ serverStatus: 1 })
  const configured = Number(wiredTiger.cache['maximum bytes configured'])
  const resize = (bytes: number) =>
    admin.command({ setParameter: 1, wiredTigerEngineRuntimeConfig: `cache_size=${bytes}` })
  if (configured >= largeCacheBytes) return task()
  await resize(largeCacheBytes)
  try {
    return await task()
  } finally {
    await resize(configured)
  }
}
