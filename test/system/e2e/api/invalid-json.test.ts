import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody, metadata } from '../support/create-body.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { type Request, send } from '../support/http-client.ts'
import { expectProblem } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User

beforeAll(async () => {
  herald = await useSharedHerald()
  user = await herald.newUser()
})
afterAll(() => herald?.disconnect())

const limit = 256 * 1024
const asJson = { 'content-type': 'application/json' }
const post = (raw: Request['raw'], headers: Record<string, string> = asJson) =>
  user.send('/', { method: 'POST', headers, ...(raw === undefined ? {} : { raw }) })
const valid = () => JSON.stringify(createBody([randomUUID()]))
const withSnippet = (json: string) => valid().replace('"See here"', json)
const inAdd = (json: string) => valid().replace('"add":{}', `"add":${json}`)
const deep = (levels: number, core: string) => `${'{"a":'.repeat(levels)}${core}${'}'.repeat(levels)}`

test.each([
  ['truncated', () => valid().slice(0, -1)],
  ['followed by another character', () => `${valid()}x`],
  ['in single quotes', () => "{'type':'mention'}"],
  ['with a NaN', () => withSnippet('NaN')],
  ['not UTF-8', () => Buffer.from(withSnippet('"\u00ff\u00fe"'), 'latin1')],
  ['empty', () => ''],
  ['only whitespace', () => '   '],
])('rejects a body that is %s as invalid JSON', async (_, body) => {
  expectProblem(await post(body()), 400, 'invalid_json')
})

test('rejects a POST without a body', async () => {
  expect((await post(undefined, asJson)).status).toBe(400)
})

test.each([
  ['the key __proto__ at the top level', () => valid().replace('{', '{"__proto__":{"x":1},')],
  ['the key __proto__ in mention', () => valid().replace('"snippet"', '"__proto__":null,"snippet"')],
  ['the key __proto__ in add', () => inAdd('{"__proto__":1}')],
  ['an escaped key __proto__', () => inAdd('{"\\u005f_proto__":1}')],
  ['the key __proto__ in an array at a depth of 10', () => inAdd(deep(8, '[{"__proto__":[]}]'))],
  ['the key __proto__ at a depth of 400', () => inAdd(deep(400, '{"__proto__":1}'))],
  ['a depth of 100,000', () => inAdd(deep(40_000, '1'))],
  ['a lone surrogate', () => withSnippet('"\\ud83e"')],
  ['a lone surrogate in a key', () => inAdd('{"\\udd8a":1}')],
  ['a number beyond the range of a double', () => inAdd('{"n":1e999}')],
])('rejects %s', async (_, body) => {
  const answer = await post(body())
  expect(answer.status).toBe(400)
  expectProblem(answer, 400, (answer.json as { code: string }).code)
})

test.each([
  ['constructor and prototype', '{"constructor":{"prototype":{"x":1}}}'],
  ['$set and a.b', '{"$set":{"a.b":[{"$ref":"x"}]}}'],
  ['a large whole number', '{"n":12345678901234567890}'],
])('returns keys and values such as %s unchanged', async (_, add) => {
  const answer = await post(inAdd(add))
  expect(answer.status).toBe(201)
  expect(answer.json).toMatchObject({ data: { metadata: metadata({}, { add: JSON.parse(add) }) } })
})

test.each([
  ['missing', {}],
  ['text/plain', { 'content-type': 'text/plain' }],
  ['application/x-www-form-urlencoded', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['application/cloudevents+json', { 'content-type': 'application/cloudevents+json' }],
  ['malformed', { 'content-type': 'json' }],
] as [string, Record<string, string>][])('returns 415 when the content type is %s', async (_, headers) => {
  expectProblem(await post(valid(), headers), 415, 'unsupported_media_type')
})

test.each(['application/json; charset=utf-8', 'Application/JSON'])('accepts the content type %s', async (type) => {
  expect((await post(valid(), { 'content-type': type })).status).toBe(201)
})

const targets = [
  ['through the gateway', () => herald.baseUrl],
  ['at the service', () => herald.ingest.url],
] as const

test.each(targets)('accepts a body of exactly 256 KiB and returns 413 for one byte more, %s', async (_, url) => {
  const padded = (size: number) => ({ method: 'POST', token: user.token, headers: asJson, raw: valid().padEnd(size) })
  expect((await send(`${url()}/`, padded(limit))).status).toBe(201)
  expectProblem(await send(`${url()}/`, padded(limit + 1)), 413, 'body_too_large')
})

test.each(targets)('returns 413 for a body far beyond 256 KiB without a content length, %s', async (_, url) => {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  const raw = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let count = 0; count < 16; count++) controller.enqueue(chunk)
      controller.close()
    },
  })
  const answer = await send(`${url()}/`, { method: 'POST', token: user.token, headers: asJson, raw })
  expectProblem(answer, 413, 'body_too_large')
})
