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
import { createEventsPage, eventsPagePolicy } from './events-page.ts'
import { eventsStyle } from './events-style.ts'
import { page, pagePolicy, startScript } from './page.ts'

// The files of Swagger UI from Fastify's plugin. Its routes are not used, because they would need exceptions from our
// access rules, and `swagger-ui-dist` reports its installation to a third party.
const { resolve } = createRequire(import.meta.url)
const fileOf = (name: string) => readFile(resolve(`@fastify/swagger-ui/static/${name}`))

/** Reads and encodes with the first request, so that all responses share the same bytes. */
const once = (read: () => Promise<Buffer>) => {
  let content: Promise<Buffer> | undefined
  return () => {
    content ??= read().catch((error) => {
      content = undefined
      throw error
    })
    return content
  }
}
const encoded = (text: () => string) => once(async () => Buffer.from(text()))

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const html = 'text/html; charset=utf-8'
const json = 'application/json; charset=utf-8'
const jsonSchema = 'application/schema+json; charset=utf-8'

const parts = {
  'swagger-ui.css': { type: css, read: once(() => fileOf('swagger-ui.css')) },
  'swagger-ui-bundle.js': { type: script, read: once(() => fileOf('swagger-ui-bundle.js')) },
  'events.css': { type: css, read: encoded(() => eventsStyle) },
  'start.js': { type: script, read: encoded(() => startScript) },
} as const

// The same for every user, and only changed by a release.
const cacheControl = 'public, max-age=300'

type Reply = { type(type: string): Reply; headers(fields: Record<string, string>): Reply; send(body: Buffer): Reply }
type Answer = { readonly type: string; readonly policy?: string; read(): Promise<Buffer> }

/** Serves the documentation of both services: the gateway routes everything here that ingest does not serve. */
export function addDocumentationRoutes(app: HttpServer): void {
  const answer =
    ({ type, policy, read }: Answer) =>
    async (_request: unknown, reply: Reply) =>
      reply
        .type(type)
        .headers({ 'cache-control': cacheControl, ...(policy ? { 'content-security-policy': policy } : {}) })
        .send(await read())

  // Created with the first request for each: they are a twentieth of the time that a start takes.
  const openApiJson = encoded(() => JSON.stringify(createOpenApiDocument()))
  const openApi30Json = encoded(() => JSON.stringify(createOpenApi30Document()))
  const asyncApiJson = encoded(() => JSON.stringify(createAsyncApiDocument()))
  const eventsPage = encoded(() => createEventsPage(createAsyncApiDocument()))
  const mappingSchema = encoded(() => JSON.stringify(createMappingJsonSchema()))
  app.get('/openapi.json', routeOptions(operations.getOpenApiDocument), answer({ type: json, read: openApiJson }))
  app.get(
    '/openapi-3.0.json',
    routeOptions(operations.getOpenApi30Document),
    answer({ type: json, read: openApi30Json }),
  )
  app.get('/asyncapi.json', routeOptions(operations.getAsyncApiDocument), answer({ type: json, read: asyncApiJson }))
  app.get(
    '/docs',
    routeOptions(operations.getDocumentation),
    answer({ type: html, policy: pagePolicy, read: encoded(() => page) }),
  )
  app.get(
    '/docs/events',
    routeOptions(operations.getEventDocumentation),
    answer({ type: html, policy: eventsPagePolicy, read: eventsPage }),
  )
  app.get(
    '/schemas/captured-changes.json',
    routeOptions(operations.getMappingSchema),
    answer({ type: jsonSchema, read: mappingSchema }),
  )
  for (const [name, part] of Object.entries(parts)) {
    app.get(`/docs/${name}`, { config: { public: true, partOf: '/docs' } }, answer(part))
  }
}
