import { createOpenApiDocument, type OpenApiDocument, type OpenApiOptions } from './document.ts'
import type { JsonSchema } from './json-schemas.ts'
import { toSchema30 } from './schema-3-0.ts'

export type OpenApi30Document = { readonly openapi: '3.0.3'; readonly paths: OpenApiDocument['paths'] } & JsonSchema

/**
 * Converts the OpenAPI document to 3.0 for generators that do not read 3.1. It describes the same operations; constraints
 * that 3.0 or its generators cannot express are left out, so that it accepts everything that the document in 3.1 accepts.
 */
export function createOpenApi30Document(options: OpenApiOptions = {}): OpenApi30Document {
  // As served, which drops `undefined`.
  const document = JSON.parse(JSON.stringify(createOpenApiDocument(options))) as OpenApiDocument & {
    readonly info: { readonly license: { readonly name: string } }
    readonly components: { readonly schemas: Record<string, JsonSchema> }
  }
  const { info, components, paths, ...rest } = document
  return {
    ...rest,
    openapi: '3.0.3',
    info: { ...info, license: { name: info.license.name } },
    paths: convertSchemasIn(paths) as OpenApiDocument['paths'],
    components: {
      ...(convertSchemasIn({ ...components, schemas: {} }) as object),
      schemas: Object.fromEntries(
        Object.entries(components.schemas).map(([name, schema]) => [name, toSchema30(schema)]),
      ),
    },
  }
}

/** Converts the value of every key `schema`; examples are data and stay as they are. */
function convertSchemasIn(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convertSchemasIn)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'schema') return [key, toSchema30(value as JsonSchema)]
      return [key, key === 'example' || key === 'examples' ? value : convertSchemasIn(value)]
    }),
  )
}
