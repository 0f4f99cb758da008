import type { JsonValue, Mapping } from '@herald/contracts'
import { isEqualJson } from './equal-json.ts'
import type { Row } from './row-change.ts'
import { createUnavailableCheck } from './unavailable-value.ts'

export const redacted = '[redacted]'

/** A changed field with both states. */
type FieldChange = { readonly field: string; readonly before: JsonValue; readonly after: JsonValue }

export type RowStates = {
  readonly isUnavailable: (value: JsonValue) => boolean
  /** The row as a state: without ignored fields and without those whose value is unavailable. */
  whole(row: Row): Row
  /**
   * The changed fields, in the order of the row.
   *
   * @param alsoChanged redacted fields that are known to have changed, although both values are the same by now
   */
  changes(before: Row, after: Row, alsoChanged?: ReadonlySet<string>): FieldChange[]
}

const none: ReadonlySet<string> = new Set()

export function createRowStates({ ignore, redact, unavailable }: Mapping): RowStates {
  const ignored = new Set(ignore)
  const hidden = new Set(redact)
  const isUnavailable = createUnavailableCheck(unavailable)
  const shown = (field: string, value: JsonValue): JsonValue => (hidden.has(field) ? redacted : value)

  return {
    isUnavailable,
    whole(row) {
      const fields = Object.entries(row).filter(([field, value]) => !ignored.has(field) && !isUnavailable(value))
      return Object.fromEntries(fields.map(([field, value]) => [field, shown(field, value)]))
    },
    changes(before, after, alsoChanged = none) {
      const changes: FieldChange[] = []
      const compare = (field: string, from: JsonValue, to: JsonValue) => {
        if (isEqualJson(from, to) && !(hidden.has(field) && alsoChanged.has(field))) return
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
