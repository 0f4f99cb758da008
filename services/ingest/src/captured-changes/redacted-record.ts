import { headerText, type Mapping } from '@herald/contracts'
import type { IncomingRecord } from '../events/incoming-record.ts'
import { isEqualJson } from './equal-json.ts'
import { createJsonRedaction } from './redacted-json.ts'
import type { ReadRowChange, Row } from './row-change.ts'
import { createUnavailableCheck } from './unavailable-value.ts'

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
 * are omitted.
 */
export function createRecordRedaction(
  { redact, unavailable }: Mapping,
  read: ReadRowChange,
): (record: IncomingRecord) => IncomingRecord {
  if (redact.length === 0) return (record) => record
  const { redactValue, redactKey } = createJsonRedaction(redact)
  const isUnavailable = createUnavailableCheck(unavailable)

  const hasChanged = (field: string, before: Row, after: Row): boolean => {
    const [from, to] = [before[field] ?? null, after[field] ?? null]
    return !isUnavailable(to) && !isEqualJson(from, to)
  }
  const changedFields = (record: IncomingRecord): string[] => {
    const found = read(record)
    const { before = null, after = null } = found.kind === 'change' ? found.change : {}
    return before && after ? redact.filter((field) => hasChanged(field, before, after)) : []
  }

  return (record) => {
    const [key, value] = [redactBytes(record.key, redactKey), redactBytes(record.value, redactValue)]
    const omitted = {
      ...record.readFailure?.omitted,
      ...(record.key !== null && key === null ? { key: record.key.length } : {}),
      ...(record.value !== null && value === null ? { value: record.value.length } : {}),
    }
    const changed = [...new Set([...redactedChangesOf(record), ...changedFields(record)])]
    return {
      ...record,
      ...{ key, value },
      headers: {
        ...redactHeaders(record.headers, redactKey),
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

/** Of a changed key, Debezium writes the other one to a header. */
const keyHeaders = new Set(['__debezium.newkey', '__debezium.oldkey'])

function redactHeaders(
  headers: IncomingRecord['headers'],
  redactText: (text: string) => string | undefined,
): IncomingRecord['headers'] {
  const redactOne = <T extends Buffer | string | null | undefined>(value: T) =>
    value === null || value === undefined ? value : Buffer.from(redactText(value.toString()) ?? '')
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!keyHeaders.has(name)) return [name, value]
      return [name, Array.isArray(value) ? value.map((one) => redactOne(one) ?? '') : (redactOne(value) ?? null)]
    }),
  )
}
