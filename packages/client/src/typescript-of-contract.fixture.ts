import { createOpenApiDocument } from '@herald/contracts'
import { compile, type JSONSchema } from 'json-schema-to-typescript'

type Schema = Record<string, unknown>
type Parameter = { name: string; in: string; required: boolean; schema: Schema }

const banner = `// Made from the schemas that Herald validates with: npm run generate -w packages/client
/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }
`

// Options of Prettier that match this workspace's formatter.
const style = { semi: false, singleQuote: true, printWidth: 120 } as const

/** Converts the contract's schemas to self-contained TypeScript types. */
export async function typescriptOfContract(): Promise<string> {
  const document = createOpenApiDocument()
  // The type of any JSON value is in the banner.
  const { JsonValue: _, ...schemas } = (document.components as { schemas: Record<string, Schema> }).schemas
  const parametersOf = (path: string) => document.paths[path]?.get?.parameters as Parameter[]
  const all: Record<string, Schema> = {
    ...schemas,
    ListNotificationsQuery: toCompile(queryOf(parametersOf('/'))),
    ListNotificationGroupsQuery: toCompile(queryOf(parametersOf('/notifications/groups'))),
    ListChangeEntriesQuery: toCompile(queryOf(parametersOf('/change-entries'))),
    ExportChangeEntriesQuery: toCompile(queryOf(parametersOf('/change-entries/all'))),
    GetCheckpointConsistencyQuery: toCompile(queryOf(parametersOf('/change-entries/checkpoint/consistency'))),
    ExportSealedLogQuery: toCompile(queryOf(parametersOf('/change-entries/sealed'))),
  }
  const named = Object.entries(all).map(([name, schema]) => [name, toCompile(schema)] as const)
  // A root type that references all others; it is removed from the output.
  const root = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(named.map(([name]) => [name, { $ref: `#/components/schemas/${name}` }])),
    components: { schemas: Object.fromEntries(named) },
  }
  const options = { additionalProperties: false, bannerComment: banner, style, format: true }
  const text = await compile(root as JSONSchema, 'Root', options)
  return text
    .replace(/export interface Root \{[^}]*\}\n/, '')
    .replace(/^export interface (\w+) \{$/gm, 'export type $1 = {')
}

function queryOf(parameters: readonly Parameter[]): Schema {
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query')
  const properties = Object.fromEntries(queryParameters.map(({ name, schema }) => [name, queryValue(schema)]))
  return {
    type: 'object',
    properties,
    required: queryParameters.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** The type of a query parameter; times may be `Date`. */
function queryValue({ default: _, ...schema }: Schema): Schema {
  const { format, type, enum: values } = schema as { format?: string; type: string; enum?: string[] }
  const plain = type === 'integer' ? 'number' : values ? values.map((value) => `'${value}'`).join(' | ') : 'string'
  return { tsType: format === 'date-time' ? 'Date | string' : plain }
}

/** Any object; the schema only excludes a key. */
const isFreeForm = ({ additionalProperties }: Schema) =>
  (additionalProperties as Schema | undefined)?.$ref === '#/components/schemas/JsonValue'

/** Removes bounds and field combinations, which make types unreadable. A schema without constraints becomes `JsonValue`. */
function toCompile(schema: Schema): Schema {
  if (schema.tsType) return schema
  const { $schema: _, minItems: __, maxItems: ___, anyOf, oneOf, ...rest } = schema
  const choices = (forms: unknown) => (isAboutFields(forms) ? {} : { anyOf: (forms as Schema[]).map(toCompile) })
  const properties = rest.properties as Record<string, Schema> | undefined
  if ((rest.not as Schema | undefined)?.const === false) return { tsType: 'true' }
  if (isFreeForm(rest)) return { ...described(rest), tsType: '{ [key: string]: JsonValue }' }
  if (!rest.type && !rest.$ref && !anyOf && !oneOf && rest.enum === undefined) {
    return { ...described(rest), tsType: 'JsonValue' }
  }
  return {
    ...rest,
    ...(anyOf ? choices(anyOf) : {}),
    ...(oneOf ? choices(oneOf) : {}),
    ...(rest.items ? { items: toCompile(rest.items as Schema) } : {}),
    ...(properties ? { properties: toProperties(properties, (rest.required ?? []) as string[]) } : {}),
  }
}

function toProperties(properties: Record<string, Schema>, required: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const compiled = toCompile(schema)
      return [name, required.includes(name) ? compiled : mayBeUndefined(compiled)]
    }),
  )
}

/** Optional fields also accept `undefined`, as with zod. */
function mayBeUndefined(schema: Schema): Schema {
  const plain = schema.tsType ?? (schema.type === 'string' && !schema.enum ? 'string' : undefined)
  return plain === undefined ? schema : { ...described(schema), tsType: `${plain} | undefined` }
}

const described = ({ description }: Schema) => (description ? { description } : {})
const isAboutFields = (forms: unknown) => (forms as Schema[]).every((form) => Object.keys(form).join() === 'required')
