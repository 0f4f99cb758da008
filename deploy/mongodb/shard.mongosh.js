// Shards Herald's large collections. Run it after `migrate`, before the first documents, with mongosh connected to a router:
//   mongosh "mongodb://router:27017/herald" deploy/mongodb/shard.mongosh.js
// It may run again: a collection that is sharded already is left as it is.

// Bytes of the ids. MongoDB orders binary values by their length first, so the bounds are as long as the ids.
const bytesOfIds = { notifications: 48, 'change-entries': 32, 'log-pages': 24, 'fan-outs': 32 }
const database = db.getName()

if (db.hello().msg !== 'isdbgrid') throw new Error('Connect to a router (mongos) of a sharded cluster')
const missing = Object.keys(bytesOfIds).filter((name) => !db.getCollectionNames().includes(name))
if (missing.length > 0) throw new Error(`Run migrate first: ${database} lacks ${missing.join(', ')}`)

const shards = db.adminCommand({ listShards: 1 }).shards.map(({ _id }) => _id)
sh.enableSharding(database)
for (const [name, bytes] of Object.entries(bytesOfIds)) {
  const namespace = `${database}.${name}`
  if (db.getSiblingDB('config').getCollection('collections').findOne({ _id: namespace }) !== null) continue
  const isEmpty = db.getCollection(name).findOne() === null
  sh.shardCollection(namespace, { _id: 1 })
  // The balancer spreads documents that exist. It moves no empty ranges, so those are moved here.
  for (let byte = 16; isEmpty && byte < 256; byte += 16) {
    const bound = { _id: Binary.createFromHexString(byte.toString(16).padEnd(2 * bytes, '0')) }
    sh.splitAt(namespace, bound)
    sh.moveChunk(namespace, bound, shards[(byte / 16) % shards.length])
  }
}
