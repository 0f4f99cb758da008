// Creates a role for each of Herald's programs, or brings it up to date, with mongosh connected to Herald's database as a user
// that administers it, before each `migrate`:
//   mongosh "mongodb://admin@mongodb.example:27017/herald?authSource=admin" deploy/mongodb/roles.mongosh.js
const database = db.getName()
const privilege = (collection, ...actions) => ({ resource: { db: database, collection }, actions })
const writes = (actions, ...collections) => collections.map((name) => privilege(name, ...actions))
// A change stream of a database needs both on all collections.
const reads = privilege('', 'find', 'changeStream', 'listCollections', 'listIndexes')
const store = ['insert', 'update', 'remove']

const roles = {
  'herald-ingest': [
    reads,
    ...writes(store, 'notifications', 'fan-outs', 'tombstones', 'digests', 'waiting-receipts', 'create-requests'),
    ...writes(['insert', 'update'], 'change-entries', 'erasures', 'leases', 'group-notes'),
    ...writes(['insert'], 'person-keys'),
    // The feed of an erased person.
    ...writes(['insert', 'remove'], 'bulk-marks'),
    ...writes(['remove'], 'seen-marks', 'mutes'),
  ],
  'herald-query': [
    reads,
    ...writes(['update'], 'notifications'),
    ...writes(['insert', 'update'], 'bulk-marks', 'seen-marks'),
    ...writes(store, 'mutes'),
    ...writes(['insert'], 'stream-keys'),
  ],
  'herald-seal': [
    reads,
    ...writes(['insert', 'update'], 'log-pages', 'log-checkpoints', 'leases'),
    ...writes(['insert'], 'log-nodes'),
    ...writes(store, 'log-state'),
    // Takes erased users from entries that enter the order.
    ...writes(['update'], 'change-entries', 'erasures'),
  ],
  'herald-migrate': [
    reads,
    privilege('', 'createCollection', 'createIndex', 'dropIndex', 'collMod'),
    // An empty collection that must be clustered is replaced.
    privilege('', 'renameCollectionSameDB', 'dropCollection', 'insert'),
  ],
  // The command `herald`. Only its `restored` writes to MongoDB; its `migrate` needs the role above.
  'herald-operator': [reads, ...writes(['insert', 'update'], 'group-notes', 'leases', 'stream-keys')],
}

const missing = (role) => db.runCommand({ rolesInfo: role }).roles.length === 0
for (const [role, privileges] of Object.entries(roles)) {
  const command = missing(role) ? 'createRole' : 'updateRole'
  const { ok, errmsg } = db.runCommand({ [command]: role, privileges, roles: [] })
  if (ok !== 1) throw new Error(`${role}: ${errmsg}`)
}
