import type { JsonSchema } from './json-schemas.ts'

/** Keywords with the same meaning in 3.0. */
const unchanged = new Set([
  ...['type', 'format', 'description', 'enum', 'required', 'pattern', 'default', 'uniqueItems'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
])
/** Constraints between properties, which validation in Herald enforces: generators make useless types of them. */
const omitted = new Set(['dependentRequired'])
const maxInt32 = 2 ** 31 - 1

/**
 * Converts a schema of OpenAPI 3.1 to 3.0.
 *
 * @throws TypeError on a keyword whose conversion is not defined
 */
export function toSchema30(schema: JsonSchema): JsonSchema {
  // 3.0 ignores keywords beside a reference.
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref }
  const converted = Object.assign({}, ...Object.entries(schema).map(([keyword, value]) => convert(keyword, value)))
  const isLarge = converted.type === 'integer' && !(Number(converted.maximum) <= maxInt32)
  return isLarge ? { ...converted, format: 'int64' } : converted
}

function convert(keyword: string, value: unknown): JsonSchema {
  if (unchanged.has(keyword)) return { [keyword]: value }
  if (omitted.has(keyword)) return {}
  const conversion = conversions[keyword]
  if (conversion === undefined) throw new TypeError(`No conversion to OpenAPI 3.0 of ${keyword}`)
  return conversion(value)
}

const conversions: Readonly<Record<string, (value: unknown) => JsonSchema>> = {
  properties: (value) => ({
    properties: Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, property]) => [name, toSchema30(property)]),
    ),
  }),
  items: (value) => ({ items: toSchema30(value as JsonSchema) }),
  additionalProperties: (value) => ({
    additionalProperties: typeof value === 'boolean' ? value : toSchema30(value as JsonSchema),
  }),
  const: (value) => ({ type: typeOf(value), enum: [value] }),
  examples: (value) => ({ example: (value as unknown[])[0] }),
  anyOf: (value) => convertChoice('anyOf', value as readonly JsonSchema[]),
  oneOf: (value) => convertChoice('oneOf', value as readonly JsonSchema[]),
}

function convertChoice(keyword: 'anyOf' | 'oneOf', choices: readonly JsonSchema[]): JsonSchema {
  // As `dependentRequired`.
  if (choices.every((choice) => Object.keys(choice).join() === 'required')) return {}
  const others = choices.filter(({ type }) => type !== 'null').map(toSchema30)
  const nullable = others.length < choices.length ? { nullable: true } : {}
  const [only] = others
  if (only === undefined || others.length > 1) return { [keyword]: others, ...nullable }
  return '$ref' in only ? { allOf: [only], ...nullable } : { ...only, ...nullable }
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
