import type { z } from 'zod'

/** A schema whose keys are names of environment variables. */
export type SettingsSchema = z.ZodObject<Record<string, z.ZodType>>

/** An invalid setting. The detail never contains the value, which may be a secret. */
type SettingIssue = { readonly name: string; readonly detail: string }

export type LoadedSettings<Schema extends SettingsSchema> =
  | { readonly ok: true; readonly settings: z.output<Schema> }
  | { readonly ok: false; readonly issues: readonly SettingIssue[] }

/** A row of the settings table; `default` is `null` if there is none. */
export type SettingDescription = {
  readonly name: string
  readonly default: string | null
  readonly required: boolean
  readonly description: string
}

/**
 * Reads the settings of a service from its environment, and reports all errors at once.
 *
 * An empty variable counts as unset. Variables with the same `oneOf` in their metadata are alternatives: exactly one of
 * them must be set.
 */
export function loadSettings<Schema extends SettingsSchema>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): LoadedSettings<Schema> {
  const names = Object.keys(schema.shape)
  const given = Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
  const parsed = schema.safeParse(given, {
    error: (issue) => (issue.input === undefined ? 'Required' : undefined),
  })
  const issues = [...findMissingAlternatives(schema, given), ...(parsed.success ? [] : toIssues(parsed.error))]
  return parsed.success && issues.length === 0 ? { ok: true, settings: parsed.data } : { ok: false, issues }
}

/** The rows of the settings table in a README, in the order of the schema. */
export function describeSettings(schema: SettingsSchema): SettingDescription[] {
  return Object.entries(schema.shape).map(([name, setting]) => {
    const preset = setting.safeParse(undefined)
    const defaultValue = preset.success ? preset.data : undefined
    return {
      name,
      default: defaultValue === undefined ? null : describeValue(defaultValue),
      required: !preset.success,
      description: setting.description ?? '',
    }
  })
}

function describeValue(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(',')
  return String(value)
}

function toIssues(error: z.ZodError): SettingIssue[] {
  return error.issues.map((issue) => ({ name: String(issue.path[0] ?? ''), detail: issue.message }))
}

function findMissingAlternatives(schema: SettingsSchema, given: Record<string, unknown>): SettingIssue[] {
  const groups = new Map<unknown, string[]>()
  for (const [name, setting] of Object.entries(schema.shape)) {
    const group = setting.meta()?.oneOf
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), name])
  }
  return [...groups.values()].flatMap((names) => {
    const count = names.filter((name) => Object.hasOwn(given, name)).length
    if (count === 1) return []
    return [{ name: names.join(' or '), detail: count === 0 ? 'One is required' : 'Only one may be set' }]
  })
}
