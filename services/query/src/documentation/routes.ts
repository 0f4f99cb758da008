import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import {
  createAsyncApiDocument,
  createMappingJsonSchema,
  createOpenApi30Document,
  createOpenApiDocument,
  operations,
} from '@herald/contracts'
import { type HttpServer, routeOptions } from '@herald/runtime'
import { createEventsPage } from './events-page.ts'

type Part = { readonly type: string; readonly read: () => Promise<Buffer>; readonly policy?: string }

// The files of Swagger UI from Fastify's plugin. Its routes are not used, because they would need exceptions from our
// access rules, and `swagger-ui-dist` reports its installation to a third party.
const { resolve } = createRequire(import.meta.url)
const swaggerFile = (name: string) => () => readFile(resolve(`@fastify/swagger-ui/static/${name}`))
const file = (name: string) => () => readFile(new URL(`pages/${name}`, import.meta.url))
const text = (create: () => string) => async () => Buffer.from(create())

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const html = 'text/html; charset=utf-8'
const json = 'application/json; charset=utf-8'

const policy = (...sources: readonly string[]) =>
  ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ')
const docsPolicy = policy("script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'")
const eventsPolicy = policy("style-src 'self'", 'img-src data:')

const mappingSchema = () => JSON.stringify(createMappingJsonSchema())

const operationParts = {
  getOpenApiDocument: { type: json, read: text(() => JSON.stringify(createOpenApiDocument())) },
  getOpenApi30Document: { type: json, read: text(() => JSON.stringify(createOpenApi30Document())) },
  getAsyncApiDocument: { type: json, read: text(() => JSON.stringify(createAsyncApiDocument())) },
  getMappingSchema: { type: 'application/schema+json; charset=utf-8', read: text(mappingSchema) },
  getDocumentation: { type: html, policy: docsPolicy, read: file('docs.html') },
  getEventDocumentation: {
    type: html,
    policy: eventsPolicy,
    read: text(() => createEventsPage(createAsyncApiDocument())),
  },
} as const satisfies Partial<Record<keyof typeof operations, Part>>

const fileParts: Readonly<Record<string, Part>> = {
  'swagger-ui.css': { type: css, read: swaggerFile('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: script, read: swaggerFile('swagger-ui-bundle.js') },
  'events.css': { type: css, read: file('events.css') },
  // Separate, because the policy forbids inline scripts. `validatorUrl` would send the document to a third party.
  'start.js': {
    type: script,
    read: text(() => "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#documentation', validatorUrl: null })\n"),
  },
}

/** Serves the documentation of both services: the gateway routes everything here that ingest does not serve. */
export function addDocumentationRoutes(app: HttpServer): void {
  function add(path: string, options: ReturnType<typeof routeOptions> | object, { type, policy, read }: Part): void {
    let content: Promise<Buffer> | undefined
    app.get(path, options, async (_request, reply) => {
      // Created with the first request, so that a start does not wait for it and all responses share the same bytes.
      content ??= read().catch((error) => {
        content = undefined
        throw error
      })
      // The document is the same for every user, and only changed by a release.
      reply.type(type).header('cache-control', 'public, max-age=300')
      if (policy) reply.header('content-security-policy', policy)
      return reply.send(await content)
    })
  }

  for (const [name, part] of Object.entries(operationParts)) {
    const operation = operations[name as keyof typeof operationParts]
    add(operation.path, routeOptions(operation), part)
  }
  for (const [name, part] of Object.entries(fileParts)) {
    add(`/docs/${name}`, { config: { public: true, partOf: '/docs' } }, part)
  }
}
