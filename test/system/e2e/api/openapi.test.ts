import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operations } from '../support/api-operations.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'

type Document = {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, { security: unknown[]; responses: Record<string, unknown> }>>
  components: { securitySchemes: Record<string, { type: string; scheme: string }> }
}

let herald: TestHerald
let document: Document

beforeAll(async () => {
  herald = await useSharedHerald()
  document = (await send(`${herald.baseUrl}/openapi.json`)).json as Document
})
afterAll(() => herald?.disconnect())

test('serves an OpenAPI 3.1 document of exactly the operations of both services, without a token', async () => {
  const answer = await send(`${herald.baseUrl}/openapi.json`)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
  expect(document.openapi).toMatch(/^3\.1\./)
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(operations.map(({ method, template }) => `${method} ${template}`).sort())
})

test.each(operations)('$method $template documents its scope and its errors', (operation) => {
  const { method, template, scope, public: isPublic } = operation
  const { security, responses } = document.paths[template]?.[method.toLowerCase()] ?? { security: [], responses: {} }
  expect(security).toEqual(isPublic ? [] : [{ bearer: scope ? [scope] : [] }])
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' })
  const errors = isPublic ? [] : ['401', '429', '503', ...(scope ? ['403'] : [])]
  expect(Object.keys(responses)).toEqual(expect.arrayContaining([...errors, '400', '500']))
})

test('serves the JSON Schema of mapping files at the base URL, without a token', async () => {
  const answer = await send(`${herald.baseUrl}/schemas/captured-changes.json`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/schema+json; charset=utf-8'])
  const { $schema, properties } = answer.json as { $schema: string; properties: { topics: { type: string } } }
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema')
  expect(properties.topics.type).toBe('object')
})

test('serves the documentation page without a token and without external resources', async () => {
  const page = await send(`${herald.baseUrl}/docs`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)])
  expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//)
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
  const parts = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path]) => path ?? '')
  expect(parts.length).toBeGreaterThan(0)
  for (const part of parts) expect((await send(new URL(part, `${herald.baseUrl}/docs`).href)).status).toBe(200)
})
