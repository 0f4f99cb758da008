import { readFileSync } from 'node:fs'
import { type Operation, operations } from '@herald/contracts'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestQuery } from '../query.fixture.ts'

let query: Awaited<ReturnType<typeof createTestQuery>>
beforeAll(async () => {
  query = await createTestQuery('docs')
})
afterAll(() => query?.stop())

const own = Object.values<Operation>(operations).filter(({ service }) => service === 'query')
const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('serves exactly the operations of the contract', () => {
  const { servedRoutes } = query.http
  const whole = servedRoutes.filter(({ config }) => config?.partOf === undefined)
  expect(whole.map(key).sort()).toEqual(own.map(key).sort())
  const paths = new Set(whole.map(({ path }) => path))
  for (const { config } of servedRoutes) expect(config?.partOf === undefined || paths.has(config.partOf)).toBe(true)
})

test.each(own.map((operation) => [key(operation), operation] as const))(
  '%s is validated as documented',
  (_, operation) => {
    const route = query.http.servedRoutes.find((served) => key(served) === key(operation))
    for (const part of ['params', 'querystring', 'headers', 'body'] as const) {
      expect(route?.schema?.[part]).toBe(operation[part])
    }
    const { public: isPublic, scope, etag } = operation
    expect(route?.config).toMatchObject(JSON.parse(JSON.stringify({ public: isPublic, scope, etag })))
  },
)

test('serves the OpenAPI document of both services without a token', async () => {
  const { statusCode, headers, body } = await query.http.inject({ url: '/openapi.json' })
  expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  const { openapi, paths } = JSON.parse(body)
  expect(openapi).toMatch(/^3\.1\./)
  expect(Object.keys(paths['/'])).toEqual(['post', 'get'])
})

test('serves the JSON Schema of mapping files, as in the file of ingest', async () => {
  const { statusCode, headers, body } = await query.http.inject({ url: '/schemas/captured-changes.json' })
  expect([statusCode, headers['content-type']]).toEqual([200, 'application/schema+json; charset=utf-8'])
  const file = new URL('../../../ingest/captured-changes.schema.json', import.meta.url)
  expect(JSON.parse(body)).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})

test('serves the document in OpenAPI 3.0 as well', async () => {
  const { statusCode, headers, body } = await query.http.inject({ url: '/openapi-3.0.json' })
  expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  const { openapi, paths } = JSON.parse(body)
  expect(openapi).toMatch(/^3\.0\./)
  expect(Object.keys(paths['/'])).toEqual(['post', 'get'])
})

describe('the page', () => {
  const get = (url: string) => query.http.inject({ url })

  test('is public, and may only load its own assets', async () => {
    const { statusCode, headers, body } = await get('/docs')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(body).not.toMatch(/https?:|<script>/)
  })

  test('has assets that exist', async () => {
    const { body } = await get('/docs')
    const parts = [...body.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`)
    expect(parts).toHaveLength(3)
    for (const part of parts) {
      const { statusCode, headers, body: text } = await get(part)
      expect([part, statusCode]).toEqual([part, 200])
      expect(headers['content-type']).toMatch(part.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
      expect(text.length).toBeGreaterThan(50)
    }
  })
})

describe('the page of the events', () => {
  const get = (url: string) => query.http.inject({ url })

  test('is public, has no scripts, and only loads its own style sheet', async () => {
    const { statusCode, headers, body } = await get('/docs/events')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(String(headers['content-security-policy'])).toMatch(/^default-src 'none'; style-src 'self';/)
    expect(body).not.toMatch(/<script|style="|(?:src|href)="(?:https?:)?\/\//)
    expect([...body.matchAll(/href="([^#"]+)"/g)].map(([, href]) => href)).toEqual([
      ...['data:,', 'events.css', '../asyncapi.json', '../docs'],
    ])
    expect((await get('/docs/events.css')).headers['content-type']).toMatch(/^text\/css/)
  })

  test('shows every message of the document, with its fields and examples', async () => {
    const { body } = await get('/docs/events')
    const { components, channels } = JSON.parse((await get('/asyncapi.json')).body)
    for (const [name, { address }] of Object.entries<{ address: string | null }>(channels)) {
      expect(body).toContain(`id="${address ?? name}"`)
    }
    for (const { title } of Object.values<{ title: string }>(components.messages))
      expect(body).toContain(`<h3>${title}<`)
    expect(body).toContain('<code>data.metadata.mention.snippet</code>')
    expect(body).toContain('<code>ce_subscriberid</code>')
    const messages = Object.values<{ examples?: unknown[] }>(components.messages)
    expect(messages.length).toBeGreaterThan(0)
    expect(body.match(/<details>/g)).toHaveLength(messages.flatMap(({ examples = [] }) => examples).length)
  })
})
