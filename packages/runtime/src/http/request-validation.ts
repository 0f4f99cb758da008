import { addZodFaults, createFaultList } from '@herald/contracts'
import type { FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'
import { parseJsonBody, refuseBody } from './json-body.ts'
import { problem } from './problem.ts'

const parts = [
  { schema: 'params', field: 'params' },
  { schema: 'querystring', field: 'query' },
  { schema: 'headers', field: 'headers' },
  { schema: 'body', field: 'body' },
] as const

const noQuery = z.strictObject({})

export type RequestValidationOptions = {
  /** Whether a route without a schema for its query takes any; else it takes none. */
  readonly anyQuery: boolean
}

/**
 * Validates the parts of a request by the zod schemas of its route, and puts what they made of them in their place.
 *
 * Fastify's own validation stops at the first part that is wrong; this names the faults of all of them at once.
 *
 * @throws HttpProblem `validation_failed`
 */
export function createRequestValidation(schema: FastifySchema, { anyQuery }: RequestValidationOptions) {
  const validators = parts.flatMap(({ schema: name, field }) => {
    const given = schema[name] ?? (name === 'querystring' && !anyQuery ? noQuery : undefined)
    if (given === undefined) return []
    if (!(given instanceof z.ZodType)) throw new TypeError(`The schema of ${name} must be a zod schema`)
    return [{ field, validator: given }]
  })

  return async function validateRequest(request: FastifyRequest): Promise<void> {
    // Until here the body is bytes. Were it parsed by Fastify's parser, a fault in it would close the connection.
    const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array()
    request.body = schema.body === undefined ? refuseBody(bytes) : parseJsonBody(bytes)
    const faults = createFaultList()
    for (const { field, validator } of validators) {
      const parsed = validator.safeParse(request[field])
      if (parsed.success) Object.assign(request, { [field]: parsed.data })
      else addZodFaults(faults, parsed.error)
    }
    const count = faults.count()
    if (count > 0) throw problem('validation_failed', describe(count), { errors: faults.toArray() })
  }
}

function describe(count: number): string {
  if (count === 1) return 'One part of the request is not valid'
  return `${count} parts of the request are not valid`
}
