import { expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createOpenApiDocument } from './document.ts'
import { createOpenApi30Document, toVersion30 } from './document-3-0.ts'

const asServed = (document: object) => JSON.parse(JSON.stringify(document))
const document = asServed(createOpenApi30Document())
const newer = asServed(createOpenApiDocument())

test('is valid OpenAPI 3.0', async () => {
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.0')
})

test('has the same operations, parameters, bodies and responses as the document in 3.1', () => {
  const outline = ({ paths }: { paths: Record<string, Record<string, Record<string, unknown>>> }) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, responses }]) => [
        ...[path, method, operationId, requestBody !== undefined],
        (parameters as { name: string; in: string; required: boolean }[]).map(({ name, in: place, required }) => [
          name,
          place,
          required,
        ]),
        Object.entries(responses as Record<string, { content?: object }>).map(([status, { content = {} }]) => [
          status,
          Object.keys(content),
        ]),
      ]),
    )
  expect(outline(document)).toEqual(outline(newer))
  const { JsonValue: _, ...schemas } = newer.components.schemas as Record<string, unknown>
  expect(Object.keys(document.components.schemas)).toEqual(Object.keys(schemas))
})

test('converts what differs', () => {
  const { Notification, MarkRead, UnreadCount } = document.components.schemas
  const example = '2026-01-31T09:30:00Z'
  expect(Notification.properties.readAt).toEqual({ type: 'string', format: 'date-time', example, nullable: true })
  expect(MarkRead.properties.all).toEqual({ type: 'boolean', description: 'Only `true`' })
  expect(UnreadCount.properties.data.properties.unreadCount).toMatchObject({ type: 'integer', format: 'int64' })
  expect(JSON.stringify(document)).not.toMatch(/"(const|dependentRequired|not)":|"type":"null"/)
})

test('has no scopes on a bearer scheme, and says in words which one is needed', () => {
  for (const methods of Object.values<Record<string, { security: object[]; description: string }>>(document.paths)) {
    for (const { security } of Object.values(methods)) {
      for (const requirement of security) expect(requirement).toEqual({ bearer: [] })
    }
  }
  expect(document.paths['/change-entries'].get.description).toContain('Needs the scope `change-entries:read`.')
})

test.each([
  [{ anyOf: [{ $ref: '#/a' }, { type: 'null' }] }, { allOf: [{ $ref: '#/a' }], nullable: true }],
  [{ oneOf: [{ type: 'string' }, { type: 'boolean' }] }, { oneOf: [{ type: 'string' }, { type: 'boolean' }] }],
  [{ $ref: '#/a', properties: { b: { const: 1 } } }, { $ref: '#/a' }],
  [{ additionalProperties: { const: 'x' } }, { additionalProperties: { type: 'string', enum: ['x'] } }],
])('converts the schema %j', (schema, expected) => {
  expect(toVersion30(schema)).toEqual(expected)
})

test('validity fails on a keyword that 3.0 does not have', async () => {
  const unknown = structuredClone(document)
  unknown.components.schemas.Notification.unevaluatedProperties = false
  expect(await new Validator().validate(unknown)).toMatchObject({ valid: false })
})
