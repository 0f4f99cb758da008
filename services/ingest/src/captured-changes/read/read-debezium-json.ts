import { headerText, type JsonValue, limits } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import { fromCloudEvent, isDebeziumCloudEvent } from './debezium-cloud-event.ts'
import { withIsoTimes } from './iso-times.ts'
import { createJsonReader, isObject, type JsonObject, withoutSchema } from './json-document.ts'
import { type RowRead, type RowRejection, reject, type SkipReason } from './row-change.ts'
import { type Envelope, toRowChange } from './to-row-change.ts'

/** With its schema. */
const largestKey = 64 * 1024

const skip = (reason: SkipReason): RowRead => ({ kind: 'skip', reason })

const skippedOperations = new Map<JsonValue, SkipReason>([
  ['t', 'truncate'],
  ['m', 'message'],
])

type ReadOptions = {
  /** Whether the rows of a snapshot are skipped, whatever else is in their records. */
  readonly skipsSnapshots?: boolean
}

/**
 * Reads a record of Debezium: its envelope as Kafka Connect's JSON converter writes it, with or without a schema, or as
 * Debezium's CloudEvents converter writes it. Never throws.
 */
export function readDebeziumJson(
  { key, value, headers = {} }: Pick<IncomingRecord, 'key' | 'value'> & Partial<Pick<IncomingRecord, 'headers'>>,
  { skipsSnapshots = false }: ReadOptions = {},
): RowRead {
  if (value === null || value.length === 0) return skip('tombstone')
  if (value.length > limits.eventBytes) {
    return reject('record_too_large', `The value is ${value.length} bytes, the limit is ${limits.eventBytes}`)
  }
  const reader = createJsonReader()
  const read = reader.readBytes(value, 'value')
  if (read.kind === 'dead-letter') return read
  const document = withIsoTimes(read.json)
  if (!isObject(document)) return unreadable(document, headers)
  const envelope = isDebeziumCloudEvent(document) ? fromCloudEvent(document) : document
  if (isMarker(envelope)) return skip('marker')
  const { op, source } = envelope
  if (typeof op !== 'string' || !isObject(source)) return unreadable(document, headers)
  const reason = op === 'r' && skipsSnapshots ? 'snapshot' : skippedOperations.get(op)
  if (reason !== undefined) return skip(reason)
  if (key !== null && key.length > largestKey) {
    return reject('record_too_large', `The key is ${key.length} bytes, the limit is ${largestKey}`)
  }
  const readKey = key === null || key.length === 0 ? undefined : reader.readBytes(key, 'key')
  if (readKey?.kind === 'dead-letter') return readKey
  return toRowChange(envelope as Envelope, readKey ? withoutSchema(readKey.json) : null, reader)
}

/** Other things that people send to such topics, each with what to do about it. */
function unreadable(document: JsonValue, headers: IncomingRecord['headers']): RowRejection {
  const fields = isObject(document) ? document : {}
  if (fields.specversion !== undefined) {
    return reject(
      'row_unreadable',
      'A CloudEvent without the attributes iodebezium…; set value.converter.extension.attributes.enable=true, or map another topic',
    )
  }
  if (
    fields.resolved !== undefined ||
    (isObject(fields.after) && fields.op === undefined && fields.source === undefined)
  ) {
    return reject(
      'row_unreadable',
      'A message of a changefeed (CockroachDB), which has neither op nor source; only Debezium’s connectors can be mapped',
    )
  }
  if (headerText(headers, 'id') !== undefined) {
    return reject(
      'row_unreadable',
      'An event of an outbox (EventRouter); map the topics of the tables themselves, or publish herald.change.recorded.v1',
    )
  }
  return reject(
    'row_unreadable',
    'Not a change of Debezium with op and source; ExtractNewRecordState must not be configured',
  )
}

/** Begin and end of a transaction, a schema change, a heartbeat: on topics of their own unless they are rerouted. */
function isMarker(envelope: JsonObject): boolean {
  if (envelope.op !== undefined) return false
  const { status, id, ddl, tableChanges, ts_ms: time, source } = envelope
  if ((status === 'BEGIN' || status === 'END') && typeof id === 'string') return true
  if (isObject(source) && (ddl !== undefined || tableChanges !== undefined)) return true
  return time !== undefined && Object.keys(envelope).length === 1
}
