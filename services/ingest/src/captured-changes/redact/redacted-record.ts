import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { headerText, type Mapping } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import { readDebeziumJson } from '../read/read-debezium-json.ts'
import type { Row } from '../read/row-change.ts'
import { createUnavailableCheck } from '../read/unavailable-value.ts'
import { createJsonRedaction, createNameCheck, redacted } from './redacted-json.ts'

/** Names the redacted fields that had changed, so that a replayed dead letter makes the same entries. */
const changedHeader = 'herald-redacted-changes'
const none: ReadonlySet<string> = new Set()

/** The names in the header of a record that was redacted before; none otherwise. */
export function redactedChangesOf({ headers }: Pick<IncomingRecord, 'headers'>): ReadonlySet<string> {
  const header = headerText(headers, changedHeader)
  if (header === undefined) return none
  try {
    const names: unknown = JSON.parse(header)
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [])
  } catch {
    return new Set()
  }
}

/**
 * Replaces the values of redacted fields in key, value and headers. Bytes that are not JSON could hold them anywhere and
 * are omitted, as are those that would take too long.
 */
export function createRecordRedaction({
  redact,
  unavailable,
}: Mapping): (record: IncomingRecord) => Promise<IncomingRecord> {
  if (redact.length === 0) return async (record) => record
  const beginRedaction = createJsonRedaction(redact)
  const isUnavailable = createUnavailableCheck(unavailable)

  const isRedacted = createNameCheck(redact)
  const hasChanged = (field: string, before: Row, after: Row): boolean => {
    const [from, to] = [before[field] ?? null, after[field] ?? null]
    return !isUnavailable(to) && !isDeepStrictEqual(from, to)
  }
  const changedFields = (record: IncomingRecord): string[] => {
    const found = readDebeziumJson(record)
    const { before = null, after = null } = found.kind === 'change' ? found.change : {}
    if (!before || !after) return []
    const fields = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...fields].filter((field) => isRedacted(field) && hasChanged(field, before, after))
  }

  return async (record) => {
    const changed = [...new Set([...redactedChangesOf(record), ...changedFields(record)])]
    // Each of both may take a while.
    await nextTurn()
    const redaction = beginRedaction()
    const { redactKey, redactValue } = redaction
    const [key, value] = [redactBytes(record.key, redactKey), redactBytes(record.value, redactValue)]
    const omitted = {
      ...record.readFailure?.omitted,
      ...(record.key !== null && key === null ? { key: record.key.length } : {}),
      ...(record.value !== null && value === null ? { value: record.value.length } : {}),
    }
    return {
      ...record,
      key,
      value,
      headers: {
        ...redactHeaders(record.headers, redaction),
        ...(changed.length === 0 ? {} : { [changedHeader]: JSON.stringify(changed) }),
      },
      ...(Object.keys(omitted).length === 0 ? {} : { readFailure: { ...unread, ...record.readFailure, omitted } }),
    }
  }
}

const unread = { code: 'record_unreadable', detail: '' } as const

function redactBytes(bytes: Buffer | null, redactText: (text: string) => string | undefined): Buffer | null {
  if (bytes === null || bytes.length === 0) return bytes
  const text = redactText(bytes.toString())
  return text === undefined ? null : Buffer.from(text)
}

/** Debezium writes the other one of a changed key to a header. */
const keyHeaders = new Set(['__debezium.newkey', '__debezium.oldkey'])

/** A transformation (`HeaderFrom`, EventRouter) may have written a column to a header of its name, or rows as JSON. */
function redactHeaders(
  headers: IncomingRecord['headers'],
  { redactKey, redactHeader, isField }: ReturnType<ReturnType<typeof createJsonRedaction>>,
): IncomingRecord['headers'] {
  const redactText = (name: string, text: string): string => {
    if (keyHeaders.has(name)) return redactKey(text) ?? ''
    return isField(name) ? redacted : redactHeader(text)
  }
  const redactOne = <T extends Buffer | string | null | undefined>(name: string, value: T) => {
    if (value === null || value === undefined) return value
    const text = value.toString()
    const kept = redactText(name, text)
    // Bytes that are no text stay as they are.
    return kept === text ? value : Buffer.from(kept)
  }
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (name === changedHeader) return [name, value]
      return [
        name,
        Array.isArray(value) ? value.map((one) => redactOne(name, one) ?? '') : (redactOne(name, value) ?? null),
      ]
    }),
  )
}
