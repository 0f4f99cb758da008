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
    changes(before, after, alsoChanged = new Set()) {
      const changes: FieldChange[] = []
      for (const field of fieldsOf(before, after)) {
        const [from, to] = [valueIn(before, field), valueIn(after, field)]
        if (ignored.has(field) || isUnavailable(to)) continue
        if (isEqualJson(from, to) && !(hidden.has(field) && alsoChanged.has(field))) continue
        changes.push({ field, before: isUnavailable(from) ? null : shown(field, from), after: shown(field, to) })
      }
      return changes
    },
  }
}

function* fieldsOf(before: Row, after: Row): Generator<string> {
  yield* Object.keys(after)
  for (const field of Object.keys(before)) if (!Object.hasOwn(after, field)) yield field
}

const valueIn = (row: Row, field: string): JsonValue => (Object.hasOwn(row, field) ? (row[field] ?? null) : null)
