import type { JsonValue } from '@herald/contracts'
import { withIsoTimes } from './iso-times.ts'
import { isObject, type JsonObject } from './json-document.ts'
import { isConnector } from './row-change.ts'

const prefix = 'iodebezium'

/**
 * The fields of `source` that are read, by their names in a CloudEvent, where underscores are not allowed. Its `snapshot` is
 * `false` however the converter treats NULL, and shows nothing.
 */
const sourceFields = [
  ...['connector', 'name', 'db', 'schema', 'table', 'collection', 'ts_ms'],
  ...['lsn', 'file', 'pos', 'row', 'ord', 'lsid', 'txnNumber'],
].map((field) => [field, `${prefix}${field.replaceAll('_', '')}`] as const)

export function isDebeziumCloudEvent(document: JsonObject): boolean {
  return document.specversion !== undefined && isConnector(document[`${prefix}connector`])
}

/** The envelope of an event by Debezium's CloudEvents converter. Its `id` is not used: rows of a statement share it. */
export function fromCloudEvent(event: JsonObject): JsonObject {
  const content = withIsoTimes(event.data ?? null)
  const source: Record<string, JsonValue> = {}
  for (const [field, attribute] of sourceFields) {
    const value = event[attribute]
    if (value !== undefined) source[field] = value
  }
  const id = event[`${prefix}txid`] ?? null
  return {
    ...(isObject(content) ? content : {}),
    op: event[`${prefix}op`] ?? null,
    ts_ms: typeof event.time === 'string' ? Date.parse(event.time) || null : null,
    source,
    transaction: id === null ? null : { id, total_order: event[`${prefix}txtotalorder`] ?? null },
  }
}
