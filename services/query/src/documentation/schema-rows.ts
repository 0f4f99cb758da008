export type Schema = Readonly<Record<string, unknown>>

/** A field of a schema at any depth. */
export type SchemaRow = {
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly notes: readonly string[]
}

/** The fields of a JSON Schema as table rows, each followed by its nested fields. */
export function schemaRows(schema: Schema, prefix = ''): SchemaRow[] {
  const required = (schema.required ?? []) as readonly string[]
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const row = { path, type: typeOf(field), isRequired: required.includes(name), notes: notesOf(field) }
    return [row, ...schemaRows(field, `${path}.`)]
  })
}

function typeOf({ type, format, items, const: only }: Schema): string {
  if (only !== undefined) return JSON.stringify(only)
  if (type === 'array') return `array of ${typeOf((items ?? {}) as Schema)}`
  if (Array.isArray(type)) return type.join(' or ')
  return String(format ?? type ?? 'any JSON')
}

function notesOf({ description, enum: values, maxLength, minItems, anyOf }: Schema): string[] {
  const either = (anyOf as readonly { required?: string[] }[] | undefined)?.map(({ required }) => required?.join(', '))
  return [
    ...(description ? [String(description)] : []),
    ...(values ? [(values as string[]).map((value) => `\`${value}\``).join(', ')] : []),
    ...(maxLength ? [`at most ${maxLength} characters`] : []),
    ...(minItems ? [`at least ${minItems}`] : []),
    ...(either ? [`has ${either.map((name) => `\`${name}\``).join(' or ')}`] : []),
  ]
}
