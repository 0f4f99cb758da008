import type { z } from 'zod'
import type { MediaType, Operation } from '../http/operation.ts'
import { headersOfStatus } from './headers.ts'
import { bodySchema, type JsonSchema, jsonSchemaOf } from './json-schemas.ts'
import { problemResponses } from './problem-responses.ts'

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'Entity tags of cached responses; 304 is returned if one of them is current',
  schema: { type: 'string' },
}

export function operationObject(operationId: string, operation: Operation): JsonSchema {
  const { summary, description, tag, method, params, querystring, headers, body, etag, scope } = operation
  const parameters = [
    ...parametersOf(params, 'path'),
    ...parametersOf(querystring, 'query'),
    ...parametersOf(headers, 'header'),
    ...(etag ? [ifNoneMatch] : []),
  ]
  return {
    operationId,
    tags: [tag],
    summary,
    description: [
      description,
      scope === undefined ? '' : `Needs the scope \`${scope}\`.`,
      method === 'GET' ? '`HEAD` returns the same header fields without a body.' : '',
    ]
      .filter(Boolean)
      .join(' '),
    security: operation.public ? [] : [{ bearer: scope ? [scope] : [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body, operation.bodyExamples) } : {}),
    responses: { ...successResponses(operation), ...problemResponses(operation) },
  }
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query' | 'header'): JsonSchema[] {
  if (schema === undefined) return []
  const { properties, required = [] } = jsonSchemaOf(schema)
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name: place === 'header' ? toHeaderName(name) : name,
    in: place,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: property,
  }))
}

function requestBody(schema: z.ZodType, examples: Readonly<Record<string, unknown>> = {}) {
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
  return {
    required: !schema.safeParse(undefined).success,
    content: { 'application/json': { schema: bodySchema(schema), examples: named } },
  }
}

function successResponses({ success, etag, public: isPublic }: Operation) {
  const content = Object.fromEntries(
    Object.entries(success.content).map(([type, media]) => [type, toMedia(type, media)]),
  )
  const traits = { rateLimited: !isPublic, etag: etag === true }
  const notModified = { description: 'Not modified', headers: headersOfStatus(304, traits) }
  return {
    [success.status]: {
      description: success.description,
      headers: headersOfStatus(success.status, traits),
      ...(Object.keys(content).length > 0 ? { content } : {}),
    },
    ...(etag ? { '304': notModified } : {}),
  }
}

/** Without a schema, generated clients return nothing. Programs differ in whether that of a stream is of its text or of each event. */
function plainSchema(type: string): JsonSchema {
  if (type === 'text/event-stream') return { description: 'Server-sent events with `id`, `event` and `data`' }
  if (/[/+]json$/.test(type)) return { type: 'object' }
  // Generated clients read bytes or a stream then; as texts some refuse NDJSON, and others return bytes all the same.
  return { type: 'string', ...(type.startsWith('text/') ? {} : { format: 'binary' }) }
}

function toMedia(type: string, { schema, example }: MediaType) {
  return {
    schema: schema ? bodySchema(schema) : plainSchema(type),
    // The client of ogen does not compile if a stream of events has headers.
    ...(type === 'text/event-stream' ? { 'x-ogen-raw-response': true } : {}),
    ...(example === undefined ? {} : { example }),
  }
}

/** Restores the usual case of a header name: `Idempotency-Key`. */
function toHeaderName(name: string): string {
  return name.replaceAll(/\bid\b|\b[a-z]/g, (part) => (part === 'id' ? 'ID' : part.toUpperCase()))
}
