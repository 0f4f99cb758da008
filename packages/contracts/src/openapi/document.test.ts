import { describe, expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { z } from 'zod'
import { errorCodes } from '../base/error-codes.ts'
import { findUnsafeJson } from '../base/json-safety.ts'
import { limits } from '../base/limits.ts'
import { formatTimestamp } from '../base/timestamp.ts'
import type { Operation } from '../http/operation.ts'
import { operations } from '../http/operations.ts'
import { examples } from '../schemas/examples.ts'
import { createOpenApiDocument } from './document.ts'

type Codes = { schema: { properties: { code: { enum: (keyof typeof errorCodes)[] } } } }
type Described = { description: string; content?: { 'application/problem+json'?: Codes } }

// Serialized as when it is served, which drops `undefined`.
const document = JSON.parse(JSON.stringify(createOpenApiDocument()))
const table = Object.entries(operations as Readonly<Record<string, Operation>>)
const described = ({ method, path }: Operation) =>
  document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]

test('is valid OpenAPI 3.1 without dangling references', async () => {
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
  const references = JSON.stringify(document).match(/(?<="\$ref":"#\/)[^"]+/g) ?? []
  expect(references.length).toBeGreaterThan(50)
  for (const reference of references) {
    const place = reference.split('/').reduce((node, key) => node?.[key], document)
    expect([reference, place]).toEqual([reference, expect.any(Object)])
  }
})

test.each([
  ['{"a":[{"b":{"$set":1}}],"constructor":null}', true],
  ['{"__proto__":1}', false],
  ['{"a":[{"b":{"__proto__":{}}}]}', false],
])('allows the free-form object %s: %s, as validation does', (text, isAllowed) => {
  const ajv = new Ajv2020({ strict: false }).addSchema(document, 'document')
  const validate = ajv.compile({ $ref: 'document#/components/schemas/CreateNotification/properties/metadata' })
  const metadata = { mention: examples.createNotification.metadata.mention, add: JSON.parse(text) }
  expect(validate(metadata)).toBe(isAllowed)
  expect(findUnsafeJson(metadata, limits.bodyLevels)).toHaveLength(isAllowed ? 0 : 1)
})

test('describes exactly the operations of the contract', () => {
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  expect(ids.sort()).toEqual(Object.keys(operations).sort())
})

describe.each(table)('%s', (id, operation) => {
  const object = described(operation)

  test('is described at its path and method', () => {
    expect(object).toMatchObject({ operationId: id, tags: [operation.tag], summary: operation.summary })
    const security = operation.public ? [] : [{ bearer: operation.scope ? [operation.scope] : [] }]
    expect(object.security).toEqual(security)
  })

  test('describes each status with the codes of that status', () => {
    for (const [status, { description, content }] of Object.entries<Described>(object.responses)) {
      expect(description).toMatch(/./)
      const codes = content?.['application/problem+json']?.schema.properties.code.enum ?? []
      expect(codes.length > 0).toBe(Number(status) >= 400)
      for (const code of codes) expect([code, errorCodes[code].status]).toEqual([code, Number(status)])
    }
    expect(object.responses['401'] === undefined).toBe(operation.public === true)
    expect(object.responses['304'] === undefined).toBe(operation.etag === undefined)
  })

  test('describes every parameter, with the bounds that its schema has', () => {
    for (const { name, description = '', schema } of object.parameters ?? []) {
      expect([name, description]).toEqual([name, expect.stringMatching(/.{20}/)])
      for (const bound of [schema.minimum, schema.maximum, schema.maxLength].filter((one) => one !== undefined)) {
        expect([name, description]).toEqual([name, expect.stringContaining(String(bound))])
      }
    }
  })

  test('has a schema for each media type', () => {
    for (const { content = {} } of Object.values<{ content?: Record<string, { schema?: object }> }>(object.responses)) {
      for (const [type, { schema }] of Object.entries(content))
        expect([type, schema]).toEqual([type, expect.any(Object)])
    }
  })

  test('describes every path parameter', () => {
    const named = (object.parameters ?? []).filter((parameter: { in: string }) => parameter.in === 'path')
    expect(named.map(({ name }: { name: string }) => `:${name}`)).toEqual(operation.path.match(/:\w+/g) ?? [])
  })

  test('has examples that its schemas parse unchanged', () => {
    for (const example of Object.values(operation.bodyExamples ?? {})) {
      const { until, ...parsed } = (operation.body as z.ZodType<{ until?: number }>).parse(example)
      const time = until === undefined ? {} : { until: formatTimestamp(new Date(until)) }
      expect({ ...parsed, ...time }).toEqual(example)
    }
    for (const { schema, example } of Object.values(operation.success.content)) {
      if (schema) expect(schema.parse(example)).toEqual(example)
    }
  })
})

describe('describes the limits', () => {
  const { schemas } = document.components
  const { properties } = schemas.CreateNotification
  const query = (path: string, name: string) =>
    document.paths[path].get.parameters.find((parameter: { name: string }) => parameter.name === name)
  const uuid = { type: 'string', format: 'uuid', pattern: expect.stringContaining('[0-9A-Fa-f]{12}$') }

  test('of a new notification', () => {
    expect(schemas.CreateNotification.additionalProperties).toBe(false)
    expect(schemas.CreateNotification.required).toHaveLength(8)
    expect(properties.recipientIds).toEqual({
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      items: uuid,
    })
    const { mention, add } = properties.metadata.properties
    expect(properties.metadata).toMatchObject({ required: ['mention'], additionalProperties: false })
    expect(mention).toMatchObject({
      properties: { mentionerName: { type: 'string', maxLength: 200 }, snippet: { type: 'string', maxLength: 2000 } },
      required: ['mentionerName', 'snippet'],
      additionalProperties: false,
      minProperties: 3,
    })
    expect(add).toMatchObject({ type: 'object', default: {} })
  })

  test('of marking many notifications', () => {
    expect(schemas.MarkRead).toMatchObject({
      properties: {
        ids: { minItems: 1, maxItems: 100, items: uuid },
        all: { type: 'boolean', not: { const: false } },
        upTo: uuid,
      },
      additionalProperties: false,
      minProperties: 1,
      not: { required: ['ids', 'all'] },
      dependentRequired: { upTo: ['all'], locationType: ['all'], locationId: ['all'] },
    })
    expect(schemas.ArchiveMany.properties.status).toEqual({ type: 'string', enum: ['read'] })
  })

  test('of a query', () => {
    const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 }
    for (const path of ['/', '/change-entries']) {
      expect(query(path, 'limit')).toMatchObject({ name: 'limit', in: 'query', required: false, schema: limit })
      expect(query(path, 'createdFrom').schema).toEqual({ type: 'string', format: 'date-time' })
    }
    expect(query('/', 'cursor').schema).toEqual(uuid)
    expect(query('/change-entries', 'cursor').schema).toEqual({ type: 'string', maxLength: 100 })
    expect(query('/', 'status').schema).toEqual({ type: 'string', enum: ['all', 'unread', 'read'], default: 'all' })
  })

  test('of headers', () => {
    expect(document.paths['/'].post.parameters).toEqual([
      expect.objectContaining({
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      }),
    ])
    expect(query('/notifications/stream', 'Last-Event-ID')).toMatchObject({ in: 'header', schema: { type: 'string' } })
    expect(query('/notifications/stream', 'lastEventId')).toMatchObject({ in: 'query', schema: { type: 'string' } })
  })
})

test('has no choice between lists of required members, of which generators make useless types', () => {
  const isBare = (choice: object) => Object.keys(choice).join() === 'required'
  const visit = (node: unknown, path: string): string[] => {
    if (typeof node !== 'object' || node === null) return []
    return Object.entries(node).flatMap(([key, value]) => {
      const isChoice = (key === 'anyOf' || key === 'oneOf') && Array.isArray(value) && value.every(isBare)
      return isChoice ? [`${path}/${key}`] : visit(value, `${path}/${key}`)
    })
  }
  expect(visit(document, '')).toEqual([])
})

describe('has nothing that a generator is known to read wrongly:', () => {
  const schemas: [string, Record<string, unknown>][] = []
  const collect = (node: unknown, path: string) => {
    if (typeof node !== 'object' || node === null) return
    schemas.push([path, node as Record<string, unknown>])
    for (const [key, value] of Object.entries(node)) if (!/^examples?$/.test(key)) collect(value, `${path}/${key}`)
  }
  collect(document, '')
  const placesOf = (isWrong: (node: Record<string, unknown>) => boolean) =>
    schemas.filter(([, node]) => isWrong(node)).map(([path]) => path)

  test('a schema of objects and lists at once (ogen refuses it)', () => {
    expect(placesOf(({ additionalProperties, items }) => additionalProperties !== undefined && !!items)).toEqual([])
  })

  test('`true` as the only value (openapi-generator’s Python client refuses it)', () => {
    expect(placesOf(({ const: value, type }) => type === 'boolean' && value !== undefined)).toEqual([])
  })

  test('a stream of events that ogen parses (its client does not compile)', () => {
    expect(document.paths['/notifications/stream'].get.responses['200'].content['text/event-stream']).toMatchObject({
      'x-ogen-raw-response': true,
    })
  })

  test('JSON behind another representation (the type of the first is taken, and JSON asked for)', () => {
    const late = (content: unknown) => {
      const types = Object.keys((content ?? {}) as object)
      return types.findIndex((type) => /[/+]json$/.test(type)) > 0
    }
    expect(placesOf(({ content }) => late(content))).toEqual([])
  })

  test('text that is not `text/…` (Python refuses it, and hey-api returns a blob)', () => {
    const isText = ([type, media]: [string, unknown]) =>
      !/^text\/|[/+]json$/.test(type) && (media as { schema: { format?: string } }).schema.format !== 'binary'
    expect(placesOf(({ content }) => Object.entries((content ?? {}) as object).some(isText))).toEqual([])
  })
})

test('says that the end of a period is exclusive', () => {
  for (const path of ['/', '/change-entries', '/change-entries/all']) {
    const parameters: { name: string; description: string }[] = document.paths[path].get.parameters
    const descriptionOf = (name: string) => parameters.find((one) => one.name === name)?.description
    expect([descriptionOf('createdFrom'), descriptionOf('createdTo')]).toEqual([
      expect.stringMatching(/inclusive.*milliseconds/),
      expect.stringMatching(/exclusive.*milliseconds/),
    ])
  }
})

test('has a relative server URL', () => {
  expect(document.servers).toEqual([{ url: '.' }])
})
