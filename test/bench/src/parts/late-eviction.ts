import type { MongoClient } from 'mongodb'
import type { BenchContext, Part } from '../part.ts'

type Settings = Readonly<Record<string, number>>

/** The settings that the README of deploy recommends, in percent of the cache. */
const recommended: Settings = {
  eviction_dirty_target: 25,
  eviction_dirty_trigger: 40,
  eviction_updates_target: 20,
  eviction_updates_trigger: 30,
}
/** MongoDB's own. Those of the updates follow from the others if they are 0. */
const defaults: Settings = {
  eviction_dirty_target: 5,
  eviction_dirty_trigger: 20,
  eviction_updates_target: 0,
  eviction_updates_trigger: 0,
}

/**
 * Runs a part on a MongoDB that lets a quarter of its cache wait for the next checkpoint: of what a busy minute changes it would
 * otherwise write the same pages many times.
 */
export const withLateEviction =
  (run: Part['run']): Part['run'] =>
  async (context: BenchContext) => {
    await configure(context.client, recommended)
    try {
      return await run(context)
    } finally {
      await configure(context.client, defaults)
    }
  }

const configure = (client: MongoClient, settings: Settings) =>
  client.db('admin').command({
    setParameter: 1,
    wiredTigerEngineRuntimeConfig: Object.entries(settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(),
  })
