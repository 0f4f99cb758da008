import { limits } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { operations, scopes } from '../operations.ts'
import { componentHeaders } from './headers.ts'
import { componentSchemas, type JsonSchema } from './json-schemas.ts'
import { operationObject } from './operation-object.ts'
import { problemSchema } from './problem-responses.ts'

export type OpenApiDocument = {
  readonly openapi: '3.1.1'
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
} & JsonSchema

export type OpenApiOptions = {
  /** Where the operations are, seen from the address of the document: beside it, unless told. */
  readonly serverUrl?: string
}

const description = `Notifications of users and the change log of subscribers.

Every answer but the documentation’s needs a bearer token; the current user and the current subscriber come from it alone.
Another user's or subscriber's record answers exactly as one that does not exist.
Success is \`{ "data": … }\`; everything else is a problem document (RFC 9457) with a stable \`code\`.
Times are UTC, and go out as \`YYYY-MM-DDTHH:MM:SSZ\`. UUIDs are taken in either case and go out in lower case.
What is not described is refused, unknown query parameters too. Answers may get further fields.
${limits.requestsPerMinute} requests a minute and user unless the operator says otherwise.`

/** The OpenAPI 3.1 document of both services, from the schemas that validate. */
export function createOpenApiDocument({ serverUrl = '.' }: OpenApiOptions = {}): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Herald',
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [{ name: 'Notifications' }, { name: 'Change log' }, { name: 'Documentation' }],
    paths: toPaths(operations),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `Scopes, in the claim \`scope\`: ${Object.values(scopes).join(', ')}`,
        },
      },
      headers: componentHeaders,
      schemas: { Problem: problemSchema, ...componentSchemas() },
    },
  }
}

function toPaths(table: Readonly<Record<string, Operation>>): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [id, operation] of Object.entries(table)) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(id, operation) }
  }
  return paths
}
