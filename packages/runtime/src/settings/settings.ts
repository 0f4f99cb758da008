import type { z } from 'zod'

export type SettingsSchema = z.ZodObject<Record<string, z.ZodType>>

/** An invalid setting. The detail never contains the value, which may be a secret. */
type SettingIssue = { readonly name: string; readonly detail: string }

export type LoadedSettings<Schema extends SettingsSchema> =
  | { readonly ok: true; readonly settings: z.output<Schema> }
  | { readonly ok: false; readonly issues: readonly SettingIssue[] }

/** Reads settings, and reports all errors at once. Empty means unset; of variables with the same `oneOf` one must be set. */
export function loadSettings<Schema extends SettingsSchema>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): LoadedSettings<Schema> {
  const names = Object.keys(schema.shape)
  const given = Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
  const parsed = schema.safeParse(given, {
    error: (issue) => (issue.input === undefined ? 'Required' : undefined),
  })
  const issues = [...findMissingAlternatives(schema, given), ...(parsed.error?.issues ?? []).map(toIssue)]
  return parsed.success && issues.length === 0 ? { ok: true, settings: parsed.data } : { ok: false, issues }
}

const toIssue = ({ path, message }: z.core.$ZodIssue): SettingIssue => ({
  name: String(path[0] ?? ''),
  detail: message,
})

function findMissingAlternatives(schema: SettingsSchema, given: Record<string, unknown>): SettingIssue[] {
  const groups = Map.groupBy(Object.keys(schema.shape), (name) => schema.shape[name]?.meta()?.oneOf)
  groups.delete(undefined)
  return [...groups.values()].flatMap((names) => {
    const count = names.filter((name) => Object.hasOwn(given, name)).length
    if (count === 1) return []
    return [{ name: names.join(' or '), detail: count === 0 ? 'One is required' : 'Only one may be set' }]
  })
}
