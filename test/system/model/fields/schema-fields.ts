import { randomUUID } from 'node:crypto'
import { createAsyncApiDocument, createOpenApiDocument } from '@herald/contracts'

/** The parts of a JSON Schema of the contract from which values are made. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
type Fields = ReadonlyMap<string, Schema>

const schemasOf = (document: object) =>
  (document as { components: { schemas: Record<string, Schema> } }).components.schemas
const schemas = { ...schemasOf(createOpenApiDocument()), ...schemasOf(createAsyncApiDocument()) }

/** The names of the schemas of the data of events. */
export const dataSchemas = Object.keys(schemas).filter((name) => name.endsWith('Data'))

/** All fields of a schema of the published documents, optional ones too, by their paths: `actor.id`, `recipients[].readAt`. */
export function fieldsOf(name: string): Fields {
  const schema = schemas[name]
  if (schema === undefined) throw new Error(`The documents have no schema ${name}`)
  return new Map(leavesOf(schema, ''))
}

function leavesOf(given: Schema, path: string): [string, Schema][] {
  const schema = resolved(given)
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, property]) =>
      leavesOf(property, path === '' ? name : `${path}.${name}`),
    )
  }
  const items = schema.items && resolved(schema.items)
  return items?.properties ? leavesOf(items, `${path}[]`) : [[path, schema]]
}

function resolved(schema: Schema): Schema {
  if (schema.$ref !== undefined) return schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}
  const [only, ...others] = (schema.properties ? [] : (schema.anyOf ?? [])).filter(({ type }) => type !== 'null')
  return only && others.length === 0 ? resolved(only) : schema
}

/** A value with every field of a schema, each different from its default and from those of other calls. */
export function filled(name: string, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const value = {}
  for (const [path, schema] of fieldsOf(name)) set(value, path, given[path] ?? sampleOf(path, schema))
  return value
}

function sampleOf(path: string, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.at(-1)
  if (schema.format === 'uuid') return randomUUID()
  if (schema.format === 'date-time') return '2026-01-31T09:30:00Z'
  if (schema.type === 'string') return `${path} ${randomUUID()}`.slice(0, schema.maxLength)
  if (schema.type === 'integer' || schema.type === 'number') return 7
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return [sampleOf(path, resolved(schema.items ?? {}))]
  return { [path]: randomUUID(), $set: [null, { a: 1 }] }
}

function set(object: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() as string
  let place = object
  for (const name of names) {
    place[name] ??= {}
    place = place[name] as Record<string, unknown>
  }
  place[last] = value
}

/** The value at a path; `undefined` if it has none. */
export const valueAt = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], object)
