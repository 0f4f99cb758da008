import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createAsyncApiDocument, createOpenApiDocument, operations } from '@herald/contracts'
import { type HttpServer, routeOptions } from '@herald/runtime'
import { createEventsPage, eventsPagePolicy } from './events-page.ts'
import { eventsStyle } from './events-style.ts'
import { page, pagePolicy, startScript } from './page.ts'

// The files of Swagger UI as Fastify's plugin carries them. Its routes are not used: they would need our own rules
// turned off for them, and `swagger-ui-dist` reports its installation to a third party.
const { resolve } = createRequire(import.meta.url)
const fileOf = (name: string) => readFile(resolve(`@fastify/swagger-ui/static/${name}`))

const parts = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: () => fileOf('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', read: () => fileOf('swagger-ui-bundle.js') },
  'events.css': { type: 'text/css; charset=utf-8', read: async () => eventsStyle },
  'start.js': { type: 'text/javascript; charset=utf-8', read: async () => startScript },
} as const

// The same for everybody, and changed by a release alone.
const cacheControl = 'public, max-age=300'

/** The documentation of both services: it is served here, for the gateway sends here what is not ingest's. */
export function addDocumentationRoutes(app: HttpServer): void {
  const document = JSON.stringify(createOpenApiDocument())

  app.get('/openapi.json', routeOptions(operations.getOpenApiDocument), async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', cacheControl).send(document),
  )
  app.get('/docs', routeOptions(operations.getDocumentation), async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': cacheControl, 'content-security-policy': pagePolicy })
      .send(page),
  )
  addEventDocumentation(app)
  for (const [name, { type, read }] of Object.entries(parts)) {
    app.get(`/docs/${name}`, { config: { public: true, partOf: '/docs' } }, async (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', cacheControl)
        .send(await read()),
    )
  }
}

/** The topics: their document, and the same for people. */
function addEventDocumentation(app: HttpServer): void {
  const document = createAsyncApiDocument()
  const [json, html] = [JSON.stringify(document), createEventsPage(document)]
  app.get('/asyncapi.json', routeOptions(operations.getAsyncApiDocument), async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', cacheControl).send(json),
  )
  app.get('/docs/events', routeOptions(operations.getEventDocumentation), async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': cacheControl, 'content-security-policy': eventsPagePolicy })
      .send(html),
  )
}
