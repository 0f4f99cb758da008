import { createOpenApiDocument } from './document.ts'
import type { JsonSchema } from './json-schemas.ts'

/**
 * Converts the OpenAPI document to 3.0 for generators that do not read 3.1. It describes the same operations; constraints
 * that 3.0 or its generators cannot express are left out, so that it accepts everything that the document in 3.1 accepts.
 */
export function createOpenApi30Document(): JsonSchema {
  // As served, which drops `undefined`.
  const document = JSON.parse(JSON.stringify(createOpenApiDocument()))
  delete document.components.schemas.JsonValue
  delete document.info.license.identifier
  return { ...(toVersion30(document) as JsonSchema), openapi: '3.0.3' }
}

const maxInt32 = 2 ** 31 - 1
const anyJson = '#/components/schemas/JsonValue'

export function toVersion30(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(toVersion30)
  if (typeof part !== 'object' || part === null) return part
  // 3.0 ignores keywords beside a reference.
  if ('$ref' in part) return { $ref: part.$ref }
  const converted = Object.assign({}, ...Object.entries(part).map(convert))
  const isLarge = converted.type === 'integer' && !(converted.maximum <= maxInt32)
  return isLarge ? { ...converted, format: 'int64' } : converted
}

function convert([key, value]: [string, unknown]): JsonSchema {
  switch (key) {
    case 'properties':
      return {
        properties: Object.fromEntries(
          Object.entries(value as object).map(([name, schema]) => [name, toVersion30(schema)]),
        ),
      }
    case 'additionalProperties':
      return { additionalProperties: (value as JsonSchema).$ref === anyJson || toVersion30(value) }
    case 'type':
      return Array.isArray(value) ? { type: value[0], nullable: true } : { type: value }
    case 'const':
      return { type: typeof value, enum: [value] }
    case 'anyOf':
    case 'oneOf':
      return convertChoice(key, value as readonly JsonSchema[])
    // Constraints that Herald enforces: generators make useless types of them.
    case 'dependentRequired':
    case 'not':
    case 'propertyNames':
      return {}
    case 'examples':
      return Array.isArray(value) ? { example: value[0] } : { examples: value }
    // Only OAuth 2 and OpenID Connect have scopes there.
    case 'security':
      return { security: (value as JsonSchema[]).map(withoutScopes) }
    case 'example':
    case 'default':
      return { [key]: value }
    default:
      return { [key]: toVersion30(value) }
  }
}

const withoutScopes = (requirement: JsonSchema) =>
  Object.fromEntries(Object.keys(requirement).map((scheme) => [scheme, []]))

function convertChoice(key: 'anyOf' | 'oneOf', choices: readonly JsonSchema[]): JsonSchema {
  const others = choices.filter(({ type }) => type !== 'null').map((choice) => toVersion30(choice) as JsonSchema)
  const nullable = others.length < choices.length ? { nullable: true } : {}
  const [only] = others
  if (only === undefined || others.length > 1) return { [key]: others, ...nullable }
  return '$ref' in only ? { allOf: [only], ...nullable } : { ...only, ...nullable }
}
