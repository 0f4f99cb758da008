import { type ErrorCode, errorCodes } from '../base/error-codes.ts'
import { limits } from '../base/limits.ts'
import { errorCodesOf, type Operation } from '../http/operation.ts'
import { headersOfStatus } from './headers.ts'
import type { JsonSchema } from './json-schemas.ts'

const text = { type: 'string' }
const pointer = { type: 'string', description: 'JSON Pointer (RFC 6901) without `#`; empty for the whole document' }

/** A problem document (RFC 9457). */
export const problemSchema: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri', description: '`urn:herald:problem:<code>`' },
    title: text,
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: text,
    instance: { type: 'string', description: 'The id of the request' },
    code: { type: 'string', enum: Object.keys(errorCodes), description: 'Stable, machine-readable code' },
    errors: {
      type: 'array',
      maxItems: limits.issues,
      items: { type: 'object', properties: { pointer, detail: text }, required: ['pointer', 'detail'] },
      description: 'The validation errors of the request',
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
}

export function problemResponses(operation: Operation): Record<string, unknown> {
  const codes = errorCodesOf(operation)
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => errorCodes[code].status === status)
      return [String(status), toResponse(status, ofStatus, !operation.public)]
    }),
  )
}

function toResponse(status: number, codes: readonly ErrorCode[], rateLimited: boolean) {
  const schema = {
    $ref: '#/components/schemas/Problem',
    properties: { status: { const: status }, code: { enum: codes } },
  }
  const examples = Object.fromEntries(codes.map((code) => [code, { value: toExample(code) }]))
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}`).join('; '),
    headers: headersOfStatus(status, { rateLimited, etag: false }),
    content: { 'application/problem+json': { schema, examples } },
  }
}

function toExample(code: ErrorCode) {
  const { status, title } = errorCodes[code]
  const instance = '9b2f6c1e-3f0a-4d7e-8a55-0c9f0b6f1a77'
  const example = { type: `urn:herald:problem:${code}`, title, status, detail: title, instance, code }
  return code === 'validation_failed'
    ? { ...example, errors: [{ pointer: '/subjectId', detail: 'Must be a UUID' }] }
    : example
}
