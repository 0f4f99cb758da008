import { addZodIssues, createIssueList } from '@herald/contracts'
import type { FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'
import { acceptsNoBody, parseJsonBody, refuseBody } from './json-body.ts'
import { invalidRequest } from './problem.ts'

const parts = [
  { schema: 'params', field: 'params' },
  { schema: 'querystring', field: 'query' },
  { schema: 'headers', field: 'headers' },
  { schema: 'body', field: 'body' },
] as const

const noQuery = z.strictObject({})

export type RequestValidationOptions = {
  /** Whether a route without a query schema accepts any query; otherwise it accepts none. */
  readonly anyQuery: boolean
}

function readBody(bytes: Buffer, schema: unknown): unknown {
  if (schema === undefined) return refuseBody(bytes)
  return bytes.length === 0 && acceptsNoBody(schema) ? undefined : parseJsonBody(bytes)
}

/** Validates and parses all parts of a request with zod; Fastify stops at the first. @throws HttpProblem `validation_failed` */
export function createRequestValidation(schema: FastifySchema, { anyQuery }: RequestValidationOptions) {
  const validators = parts.flatMap(({ schema: name, field }) => {
    const given = schema[name] ?? (name === 'querystring' && !anyQuery ? noQuery : undefined)
    if (given === undefined) return []
    if (!(given instanceof z.ZodType)) throw new TypeError(`The schema of ${name} must be a zod schema`)
    return [{ field, validator: given }]
  })

  return async function validateRequest(request: FastifyRequest): Promise<void> {
    // Parsed here because an error in Fastify's parser would close the connection.
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    request.body = readBody(bytes, schema.body)
    const issues = createIssueList()
    for (const { field, validator } of validators) {
      const parsed = validator.safeParse(request[field])
      if (parsed.success) Object.assign(request, { [field]: parsed.data })
      else addZodIssues(issues, parsed.error)
    }
    const count = issues.count()
    if (count > 0) throw invalidRequest(issues.toArray(), count)
  }
}
