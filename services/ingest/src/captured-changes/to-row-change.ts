import { fitsUuidV7, type JsonValue } from '@herald/contracts'
import { fromExtendedJson } from './extended-json.ts'
import { isObject, type JsonObject, readJsonText } from './json-document.ts'
import { toInteger } from './lossless-json.ts'
import {
  type Connector,
  connectors,
  type MongoUpdate,
  type Row,
  type RowChange,
  type RowOperation,
  type RowRead,
  type RowRejection,
  reject,
} from './row-change.ts'

const operations: readonly string[] = ['c', 'u', 'd', 'r'] satisfies RowOperation[]
/** A document with an operation and a source. */
export type Envelope = JsonObject & { readonly op: string; readonly source: JsonObject }

/** Checks an envelope of Debezium. */
export function toRowChange(envelope: Envelope, key: JsonValue): RowRead {
  const { op, source } = envelope
  if (!operations.includes(op)) return reject('row_unreadable', 'The operation is not one of c, u, d, r, t and m')
  const connector = connectors.find((name) => name === source.connector)
  if (!connector) return reject('row_unreadable', `The connector is not one of ${connectors.join(', ')}`)
  const origin = originOf(connector, source)
  if (!origin) return reject('row_unreadable', 'The source has no name, db and table')
  const position = positionOf(connector, source)
  if (position === undefined) return reject('row_unreadable', 'The source has no position')
  const time = toInteger(source.ts_ms)
  if (typeof time !== 'number' || !fitsUuidV7(time)) return reject('row_unreadable', 'source.ts_ms is not a time')
  if (key !== null && !isObject(key)) return reject('row_unreadable', 'The key is not an object')
  const before = readState(envelope, 'before', connector)
  if (!before.ok) return before.rejection
  const after = readState(envelope, 'after', connector)
  if (!after.ok) return after.rejection
  const change: RowChange = {
    operation: op as RowOperation,
    ...{ connector, origin, position, time, key },
    order: orderOf(envelope.transaction),
    isInMongoTransaction: connector === 'mongodb' && (source.lsid ?? source.txnNumber ?? null) !== null,
    before: before.row,
    after: after.row,
    update: connector === 'mongodb' && op === 'u' ? mongoUpdateOf(envelope.updateDescription) : undefined,
  }
  return { kind: 'change', change }
}

const text = (value: JsonValue | undefined) => (typeof value === 'string' && value !== '' ? value : undefined)

function originOf(connector: Connector, source: JsonObject): string[] | undefined {
  const schema = text(source.schema)
  const parts = [text(source.name), text(source.db), text(source.table) ?? text(source.collection)]
  const [name, db, table] = parts
  if (name === undefined || db === undefined || table === undefined) return undefined
  return [connector, name, db, ...(schema === undefined ? [] : [schema]), table]
}

function positionOf(connector: Connector, source: JsonObject): JsonValue | undefined {
  if (connector === 'postgresql') return toInteger(source.lsn) ?? undefined
  if (connector === 'mongodb') {
    const [time, ord] = [toInteger(source.ts_ms), toInteger(source.ord)]
    return time === null || ord === null
      ? undefined
      : [time, ord, text(source.lsid) ?? null, toInteger(source.txnNumber)]
  }
  const [file, pos, row] = [text(source.file), toInteger(source.pos), toInteger(source.row)]
  return file === undefined || pos === null || row === null ? undefined : [file, pos, row]
}

function orderOf(transaction: JsonValue | undefined): RowChange['order'] {
  if (!isObject(transaction)) return undefined
  const [id, order] = [text(transaction.id), toInteger(transaction.total_order)]
  return id === undefined || order === null ? undefined : [id, order]
}

type StateRead =
  | { readonly ok: true; readonly row: Row | null }
  | { readonly ok: false; readonly rejection: RowRejection }

/** Reads a state of the row: an object, or for MongoDB a string of extended JSON. */
function readState(envelope: JsonObject, side: 'before' | 'after', connector: Connector): StateRead {
  const state = envelope[side] ?? null
  if (state === null) return { ok: true, row: null }
  if (connector !== 'mongodb' && isObject(state)) return { ok: true, row: state }
  if (connector !== 'mongodb' || typeof state !== 'string') {
    return { ok: false, rejection: reject('row_unreadable', `${side} is not a row`) }
  }
  const read = readJsonText(state, side)
  if (read.kind === 'dead-letter') return { ok: false, rejection: read }
  const row = fromExtendedJson(read.json)
  if (!isObject(row)) return { ok: false, rejection: reject('row_unreadable', `${side} is not a document`) }
  return { ok: true, row }
}

/** The description is used only to notice an `after` that does not belong to the update, so an unknown form is ignored. */
function mongoUpdateOf(description: JsonValue | undefined): MongoUpdate | undefined {
  if (!isObject(description) || typeof description.updatedFields !== 'string') return undefined
  const read = readJsonText(description.updatedFields, 'updatedFields')
  if (read.kind === 'dead-letter' || !isObject(read.json)) return undefined
  const removed = Array.isArray(description.removedFields) ? description.removedFields : []
  const truncated = Array.isArray(description.truncatedArrays) ? description.truncatedArrays : []
  const names = [...removed, ...truncated.map((one) => (isObject(one) ? (one.field ?? null) : one))]
  return {
    updated: fromExtendedJson(read.json) as Row,
    touched: names.filter((name) => typeof name === 'string'),
  }
}
