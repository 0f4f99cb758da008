import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createOpenApiDocument, operations } from '@herald/contracts'
import { type HttpServer, routeOptions } from '@herald/runtime'
import { page, pagePolicy, startScript } from './page.ts'

// The files of Swagger UI as Fastify's plugin carries them. Its routes are not used: they would need our own rules
// turned off for them, and `swagger-ui-dist` reports its installation to a third party.
const { resolve } = createRequire(import.meta.url)
const fileOf = (name: string) => readFile(resolve(`@fastify/swagger-ui/static/${name}`))

const parts = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: () => fileOf('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', read: () => fileOf('swagger-ui-bundle.js') },
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
  for (const [name, { type, read }] of Object.entries(parts)) {
    app.get(`/docs/${name}`, { config: { public: true, partOf: '/docs' } }, async (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', cacheControl)
        .send(await read()),
    )
  }
}
