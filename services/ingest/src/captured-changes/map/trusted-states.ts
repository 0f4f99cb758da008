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

const partitions = 'each partition has a replica identity of its own'

/**
 * Finds out which states of a change can be trusted, with the settings of the database that the record shows. An update
 * without its former state proves that a table of the topic does not have the replica identity that the mapping promises: from
 * then on the state of a delete is the key.
 */
export function createTrustedStates(mapping: Mapping): (change: RowChange) => TrustedStates | RowRejection {
  let isFull = mapping.replicaIdentity === 'full'

  return (change) => {
    const { operation, connector, before, after } = change
    const states = { kind: 'states', before, after, isKeyOnly: false } as const
    if (operation === 'c' || operation === 'r') {
      return after === null ? reject('row_unreadable', 'after is missing') : { ...states, before: null }
    }
    if (before === null) {
      if (connector === 'postgresql') isFull = false
      const note = connector === 'postgresql' && mapping.replicaIdentity === 'full' ? `; ${partitions}` : ''
      return missing(`The former state is missing; ${remedies[connector]}${note}`)
    }
    if (operation === 'd') {
      return connector !== 'postgresql' || isFull ? { ...states, after: null } : keyOnly(change.key, before)
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
}

/**
 * A delete in PostgreSQL with REPLICA IDENTITY DEFAULT has invented values in all columns but the key. With USING INDEX, or a
 * key of other columns (`message.key.columns`), those of the key are invented as well. What is no column was added to the key by
 * a transformation, such as ByLogicalTableRouter.
 */
function keyOnly(key: Row | null, row: Row): TrustedStates | RowRejection {
  const advice = `${remedies.postgresql} and set replicaIdentity: full in the mapping`
  const columns = Object.keys(key ?? {}).filter((name) => Object.hasOwn(row, name))
  if (columns.length === 0) return missing(`Without a key the deleted row is unknown; ${advice}`)
  const invented = columns.find((name) => isInvented(key?.[name] ?? null))
  if (invented !== undefined) {
    const reason = 'as with REPLICA IDENTITY USING INDEX and with message.key.columns'
    return missing(`The key may be invented (${invented.slice(0, 100)}), ${reason}; ${advice}`)
  }
  const before = Object.fromEntries(columns.map((name) => [name, row[name] ?? null]))
  return { kind: 'states', before, after: null, isKeyOnly: true }
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
