import { type JsonValue, mappingSchema } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import { createDecideCapturedChange } from './map/decide-captured-change.ts'

export const subscriberId = '0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0001'
export const userId = '0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0002'
export const now = new Date('2026-02-01T00:00:00Z')

type Fields = Record<string, unknown>

/** A row with everything that {@link mappingOf} looks for. */
export const rowOf = (changes: Fields = {}) => ({
  id: 1,
  name: 'Ada',
  email: null,
  tenant: subscriberId,
  changed_by: userId,
  ...changes,
})

export const mappingOf = (changes: Fields = {}) =>
  mappingSchema.parse({
    entityType: 'customer',
    subscriberId: 'tenant',
    entityId: 'id',
    entityTitle: 'name',
    user: { id: 'changed_by' },
    replicaIdentity: 'full',
    ...changes,
  })

const sourceOfPostgres = {
  connector: 'postgresql',
  name: 'shop',
  db: 'shop',
  schema: 'public',
  table: 'customer',
  ts_ms: 1_767_225_600_123,
  lsn: 26_780_400,
}

/** A change in PostgreSQL; `changes` overrides parts of the envelope and `source` parts of its source. */
export const envelopeOf = (changes: Fields, source: Fields = {}) => ({
  op: 'u',
  before: rowOf(),
  after: rowOf(),
  transaction: null,
  ts_ms: 1_767_225_600_200,
  ...changes,
  source: { ...sourceOfPostgres, ...source },
})

const mongoSource = {
  connector: 'mongodb',
  schema: undefined,
  table: undefined,
  collection: 'customer',
  lsn: undefined,
  ord: 1,
  lsid: null,
  txnNumber: null,
}

/** A change in MongoDB, whose rows are JSON texts. */
export const mongoEnvelopeOf = (changes: Fields, source: Fields = {}) => {
  const text = (value: unknown) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value)
  const { before = null, after = null, ...others } = changes
  return envelopeOf({ ...others, before: text(before), after: text(after) }, { ...mongoSource, ...source })
}

export const recordOf = (
  value: unknown,
  key: JsonValue | undefined = { id: 1 },
  headers: IncomingRecord['headers'] = {},
): IncomingRecord => ({
  topic: 'shop.public.customer',
  partition: 0,
  offset: '7',
  timestamp: '1767225600300',
  headers,
  key: key === null ? null : Buffer.from(JSON.stringify(key)),
  value: typeof value === 'string' ? Buffer.from(value) : Buffer.from(JSON.stringify(value)),
})

/** The decision about a record, with the mapping {@link mappingOf}. */
export const decide = (record: IncomingRecord, mapping: Fields = {}, keepFrom?: Date) =>
  createDecideCapturedChange(mappingOf(mapping))(record, { now, keepFrom })

/** The entries that a record makes. */
export function entriesOf(record: IncomingRecord, mapping: Fields = {}) {
  const decision = decide(record, mapping)
  if (decision.kind !== 'change-entries') throw new Error(JSON.stringify(decision))
  return decision.documents
}
