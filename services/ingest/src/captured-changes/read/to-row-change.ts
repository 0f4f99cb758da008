import { fitsUuidV7, type JsonValue } from '@herald/contracts'
import { fromExtendedJson } from './extended-json.ts'
import { isObject, type JsonObject, type JsonReader } from './json-document.ts'
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

/** Checks an envelope of Debezium. The reader is for rows that are JSON texts. */
export function toRowChange(envelope: Envelope, key: JsonValue, reader: Pick<JsonReader, 'readText'>): RowRead {
  const { op, source } = envelope
  if (!operations.includes(op)) return reject('row_unreadable', 'The operation is not one of c, u, d, r, t and m')
  const connector = connectors.find((name) => name === source.connector)
  if (!connector) return reject('row_unreadable', `The connector is not one of ${connectors.join(', ')}`)
  const origin = originOf(connector, source)
  if (!origin) return reject('row_unreadable', 'The source has no name, db and table')
  const time = timeOf(envelope)
  if (time === undefined) return reject('time_missing', 'Neither source.ts_ms nor ts_ms of the envelope is a time')
  if (!fitsUuidV7(time)) return reject('row_unreadable', 'source.ts_ms is not a time')
  const position = positionOf(connector, source) ?? (op === 'r' ? ['snapshot', time] : undefined)
  if (position === undefined) return reject('row_unreadable', 'The source has no position')
  if (key !== null && !isObject(key)) return reject('row_unreadable', 'The key is not an object')
  const before = readState(envelope, 'before', connector, reader)
  if (before?.kind === 'dead-letter') return before
  const after = readState(envelope, 'after', connector, reader)
  if (after?.kind === 'dead-letter') return after
  const description = connector === 'mongodb' && op === 'u' ? envelope.updateDescription : undefined
  const update = mongoUpdateOf(description, reader)
  if (update?.kind === 'dead-letter') return update
  const change: RowChange = {
    operation: op as RowOperation,
    connector,
    origin,
    position,
    time,
    key,
    order: orderOf(envelope.transaction),
    isInMongoTransaction: connector === 'mongodb' && (source.lsid ?? source.txnNumber ?? null) !== null,
    replacesNulls: op !== 'r' && String(source.snapshot) === 'false',
    before: before?.row ?? null,
    after: after?.row ?? null,
    update: update?.update,
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

/** MongoDB's connector writes 0 in snapshots, and converters leave out what is the default. */
function timeOf({ source, ts_ms: envelopeTime }: Envelope): number | undefined {
  const times = [source.ts_ms, envelopeTime].map((time) => toInteger(time))
  return times.find((time) => typeof time === 'number' && time !== 0) as number | undefined
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

type State = { readonly kind: 'row'; readonly row: Row }

/** Reads a state of the row: an object, or for MongoDB a string of extended JSON. */
function readState(
  envelope: JsonObject,
  side: 'before' | 'after',
  connector: Connector,
  { readText }: Pick<JsonReader, 'readText'>,
): State | RowRejection | null {
  const state = envelope[side] ?? null
  if (state === null) return null
  if (connector !== 'mongodb' && isObject(state)) return { kind: 'row', row: state }
  if (connector !== 'mongodb' || typeof state !== 'string') return reject('row_unreadable', `${side} is not a row`)
  const read = readText(state, side)
  if (read.kind === 'dead-letter') return read
  const row = fromExtendedJson(read.json)
  return isObject(row) ? { kind: 'row', row } : reject('row_unreadable', `${side} is not a document`)
}

/** The description is used only to notice an `after` that does not belong to the update, so an unknown form is ignored. */
function mongoUpdateOf(
  description: JsonValue | undefined,
  { readText }: Pick<JsonReader, 'readText'>,
): { readonly kind: 'update'; readonly update: MongoUpdate } | RowRejection | undefined {
  if (!isObject(description) || typeof description.updatedFields !== 'string') return undefined
  const read = readText(description.updatedFields, 'updatedFields')
  if (read.kind === 'dead-letter') return read.code === 'record_too_large' ? read : undefined
  if (!isObject(read.json)) return undefined
  const removed = Array.isArray(description.removedFields) ? description.removedFields : []
  const truncated = Array.isArray(description.truncatedArrays) ? description.truncatedArrays : []
  const names = [...removed, ...truncated.map((one) => (isObject(one) ? (one.field ?? null) : one))]
  const touched = names.filter((name) => typeof name === 'string')
  return { kind: 'update', update: { updated: fromExtendedJson(read.json) as Row, touched } }
}
