import { limits } from '../base/limits.ts'
import type { Operation } from '../http/operation.ts'
import { operations, scopes } from '../http/operations.ts'
import { componentHeaders } from './headers.ts'
import { componentSchemas, type JsonSchema } from './json-schemas.ts'
import { operationObject } from './operation-object.ts'
import { problemSchema } from './problem-responses.ts'

const description = `Notifications of users and the change log of subscribers.

All operations except the documentation require a bearer token. The current user and the current subscriber are taken from it and from nowhere else.
A record of another user or subscriber is indistinguishable from one that does not exist.
Successful responses are \`{ "data": … }\`; errors are problem documents (RFC 9457) with a stable \`code\`.
Timestamps are UTC and returned as \`YYYY-MM-DDTHH:MM:SSZ\`. UUIDs are accepted in upper and lower case and returned in lower case.
Unknown fields and query parameters are rejected. Responses may gain fields within a major version.
The rate limit is ${limits.requestsPerMinute} requests per minute and user unless configured otherwise.`

/** Creates the OpenAPI 3.1 document of both services from the schemas that validate requests. */
export function createOpenApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Herald',
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the URL of the document.
    servers: [{ url: '.' }],
    tags: [{ name: 'Notifications' }, { name: 'Mutes' }, { name: 'Change log' }, { name: 'Documentation' }],
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

function toPaths(table: Readonly<Record<string, Operation>>) {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [id, operation] of Object.entries(table)) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(id, operation) }
  }
  return paths
}
