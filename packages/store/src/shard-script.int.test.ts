import { readFileSync } from 'node:fs'
import { changeEntry } from '@herald/change-log/testing'
import { newNotification } from '@herald/feed/testing'
import { toIndexKey } from '@herald/mongo'
import { idAt } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary } from 'mongodb'
import { createEmptyStore } from './test-store.fixture.ts'

const { store, database, migrate, close } = createEmptyStore()
beforeAll(migrate)
afterAll(close)

/** Runs deploy/mongodb/shard.mongosh.js for empty collections of a cluster, and returns the bounds of its ranges by collection. */
function boundsInScript(): Map<string, Binary[]> {
  const script = readFileSync(new URL('../../../deploy/mongodb/shard.mongosh.js', import.meta.url), 'utf8')
  const bounds = new Map<string, Binary[]>()
  const splitAt = (namespace: string, { _id }: { _id: Binary }) => {
    const name = namespace.replace(/^herald\./, '')
    bounds.set(name, [...(bounds.get(name) ?? []), _id])
  }
  const ignore = () => {}
  const empty = { findOne: () => null }
  const db = {
    getName: () => 'herald',
    hello: () => ({ msg: 'isdbgrid' }),
    getCollectionNames: () => ['notifications', 'change-entries', 'log-pages', 'fan-outs'],
    adminCommand: () => ({ shards: [{ _id: 'first' }, { _id: 'second' }] }),
    getCollection: () => empty,
    getSiblingDB: () => ({ getCollection: () => empty }),
  }
  const sh = { enableSharding: ignore, shardCollection: ignore, moveChunk: ignore, splitAt }
  new Function('db', 'sh', 'Binary', script)(db, sh, Binary)
  return bounds
}

test('the ranges of the script for sharding divide the ids of subscribers evenly', async () => {
  for (let first = 0; first < 16; first++) {
    const subscriberId = `${first.toString(16)}0000000-7c1b-4def-8abc-000000000001`
    await store.notifications.insertNew([newNotification(idAt(first), { subscriberId })])
    await store.changeEntries.insertNew([changeEntry({ id: idAt(first), subscriberId })])
    await database.collection<{ _id: Binary }>('log-pages').insertOne({ _id: toIndexKey(subscriberId, 0) })
  }
  const bounds = boundsInScript()
  expect([...bounds.keys()]).toEqual(['notifications', 'change-entries', 'log-pages', 'fan-outs'])
  for (const [name, ids] of bounds) {
    const collection = database.collection<{ _id: Binary }>(name)
    const below = await Promise.all(ids.map((_id) => collection.countDocuments({ _id: { $lt: _id } })))
    expect([name, below]).toEqual([name, Array.from({ length: 15 }, (_, i) => i + 1)])
  }
})
