import { isDeepStrictEqual } from 'node:util'
import type { JsonValue, Mapping } from '@herald/contracts'
import { type MongoUpdate, type Row, type RowChange, type RowRejection, reject } from '../read/row-change.ts'

/** The states of a change that the record is certain about. */
export type TrustedStates = {
  readonly kind: 'states'
  readonly before: Row | null
  readonly after: Row | null
  /** Whether `before` holds the key only, because the other columns may be invented. */
  readonly isKeyOnly: boolean
}

const remedies = {
  postgresql: 'run ALTER TABLE … REPLICA IDENTITY FULL',
  mariadb: 'set binlog_row_image=FULL',
  mysql: 'set binlog_row_image=FULL',
  mongodb: 'enable changeStreamPreAndPostImages and set capture.mode=change_streams_update_full_with_pre_image',
} as const

const missing = (detail: string) => reject('before_missing', detail)

/** Finds out which states of a change can be trusted, with the settings of the database that the record shows. */
export function findTrustedStates(change: RowChange, mapping: Mapping): TrustedStates | RowRejection {
  const { operation, connector, before, after } = change
  const states = { kind: 'states', before, after, isKeyOnly: false } as const
  if (operation === 'c' || operation === 'r') {
    return after === null ? reject('row_unreadable', 'after is missing') : { ...states, before: null }
  }
  if (before === null) return missing(`The former state is missing; ${remedies[connector]}`)
  if (operation === 'd') {
    if (connector !== 'postgresql' || mapping.replicaIdentity === 'full') return { ...states, after: null }
    return keyOnly(change.key)
  }
  if (after === null) {
    if (connector !== 'mongodb') return reject('row_unreadable', 'after is missing')
    return missing('The new state is missing; enable changeStreamPreAndPostImages')
  }
  if (change.update !== undefined && !isOfUpdate(change.update, before, after)) {
    return missing('The new state is of a later moment; set capture.mode.full.update.type=post_image')
  }
  return states
}

/**
 * A delete in PostgreSQL with REPLICA IDENTITY DEFAULT has invented values in all columns but the key; with USING INDEX
 * the key is invented as well, as zeros.
 */
function keyOnly(key: Row | null): TrustedStates | RowRejection {
  const advice = `${remedies.postgresql} and set replicaIdentity: full in the mapping`
  if (key === null) return missing(`Without a key the deleted row is unknown; ${advice}`)
  const values = Object.values(key)
  if (values.every(isInvented)) return missing(`The key is empty, as with REPLICA IDENTITY USING INDEX; ${advice}`)
  return { kind: 'states', before: key, after: null, isKeyOnly: true }
}

const inventedValues: readonly JsonValue[] = ['', 0, false, 'AA==', [], '1970-01-01T00:00:00Z', null]
const isInvented = (value: JsonValue) => inventedValues.some((invented) => isDeepStrictEqual(value, invented))

/**
 * Whether `after` is the document right after the update. Looked up later, it also shows later changes: fields that this
 * update did not touch, or other values of those that it set.
 */
function isOfUpdate({ updated, touched }: MongoUpdate, before: Row, after: Row): boolean {
  const paths = [...Object.keys(updated), ...touched]
  const fields = new Set(paths.flatMap((path) => [path, path.split('.', 1)[0] as string]))
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!fields.has(field) && !isDeepStrictEqual(before[field] ?? null, after[field] ?? null)) return false
  }
  return Object.entries(updated).every(([path, value]) => {
    if (path.includes('.') || (typeof value === 'object' && value !== null)) return true
    return isDeepStrictEqual(value, after[path] ?? null)
  })
}
