import { type EventRecord, uuidOf } from './events.ts'

const firstMillisecond = Date.UTC(2026, 0, 1)
const subscribers = 600

/** The mapping of {@link capturedChange}'s topic. The file is YAML, of which JSON is a part. */
export const mappingFile = (topic: string) =>
  JSON.stringify({
    topics: {
      [topic]: {
        entityType: 'data point',
        subscriberId: 'tenant_id',
        entityId: 'entity_id',
        entityTitle: 'title',
        user: { id: 'updated_by', name: 'updated_by_name', email: 'updated_by_email' },
        ignore: ['updated_at', 'version'],
        replicaIdentity: 'full',
      },
    },
  })

const uuids = new Map<string, string>()
function cachedUuidOf(name: string): string {
  const found = uuids.get(name) ?? uuidOf(name)
  uuids.set(name, found)
  return found
}

/**
 * An update of one field as Debezium's connector for PostgreSQL writes it in JSON without a schema, about 1.5 KB: the row
 * before and after, and its source. Users, entities and subscribers are distributed like those of `changeEvent`.
 */
export function capturedChange(sequence: number): EventRecord {
  const entity = sequence % 5_003
  const user = sequence % 997
  const time = firstMillisecond + sequence
  const row = {
    id: entity,
    tenant_id: cachedUuidOf(`subscriber ${sequence % subscribers}`),
    entity_id: cachedUuidOf(`entity ${entity}`),
    title: `Energy consumption, site ${entity}`,
    amount: `${sequence}.0000`,
    unit: 'kWh',
    note: null,
    is_final: false,
    tags: ['energy', 'scope 2'],
    updated_by: cachedUuidOf(`user ${user}`),
    updated_by_name: `User Number ${user}`,
    updated_by_email: `user.${user}@example.com`,
    updated_at: new Date(time - 1_000).toISOString(),
    version: sequence,
  }
  const value = {
    before: row,
    after: { ...row, amount: `${sequence + 1}.0000`, updated_at: new Date(time).toISOString(), version: sequence + 1 },
    source: {
      version: '3.7.0.Final',
      connector: 'postgresql',
      name: 'esg',
      ts_ms: time,
      snapshot: 'false',
      db: 'esg',
      sequence: `["${26_780_400 + sequence * 120}","${26_780_400 + sequence * 120}"]`,
      ts_us: time * 1e3,
      ts_ns: time * 1e6,
      schema: 'public',
      table: 'data_point',
      txId: 700 + sequence,
      lsn: 26_780_400 + sequence * 120,
      xmin: null,
      origin: null,
      origin_lsn: null,
    },
    transaction: null,
    op: 'u',
    ts_ms: time + 110,
    ts_us: (time + 110) * 1e3,
    ts_ns: (time + 110) * 1e6 + 617_000,
  }
  return { key: JSON.stringify({ id: entity }), value: JSON.stringify(value), headers: {} }
}
