import { isDeepStrictEqual } from 'node:util'
import type { JsonValue, Mapping } from '@herald/contracts'
import type { Row } from '../read/row-change.ts'
import { createUnavailableCheck } from '../read/unavailable-value.ts'
import { createNameCheck, redacted } from '../redact/redacted-json.ts'

type FieldChange = { readonly field: string; readonly before: JsonValue; readonly after: JsonValue }

export type RowStates = ReturnType<typeof createRowStates>

export function createRowStates({ ignore, redact, unavailable }: Mapping) {
  const ignored = new Set(ignore)
  const isRedacted = createNameCheck(redact)
  const isUnavailable = createUnavailableCheck(unavailable)
  const shown = (field: string, value: JsonValue): JsonValue => (isRedacted(field) ? redacted : value)

  return {
    isUnavailable,
    /** The row as a state: without ignored fields and without those whose value is unavailable. */
    whole(row: Row): Row {
      const fields = Object.entries(row).filter(([field, value]) => !ignored.has(field) && !isUnavailable(value))
      return Object.fromEntries(fields.map(([field, value]) => [field, shown(field, value)]))
    },
    /**
     * The changed fields, in the order of the row.
     *
     * @param alsoChanged redacted fields that are known to have changed, although both values are the same by now
     */
    changes(before: Row, after: Row, alsoChanged: ReadonlySet<string>): FieldChange[] {
      const changes: FieldChange[] = []
      const compare = (field: string, from: JsonValue, to: JsonValue) => {
        if (isDeepStrictEqual(from, to) && !(alsoChanged.has(field) && isRedacted(field))) return
        if (ignored.has(field) || isUnavailable(to)) return
        changes.push({ field, before: isUnavailable(from) ? null : shown(field, from), after: shown(field, to) })
      }
      for (const field of Object.keys(after)) compare(field, valueIn(before, field), after[field] ?? null)
      for (const field of Object.keys(before)) {
        if (!Object.hasOwn(after, field)) compare(field, before[field] ?? null, null)
      }
      return changes
    },
  }
}

const valueIn = (row: Row, field: string): JsonValue => (Object.hasOwn(row, field) ? (row[field] ?? null) : null)
