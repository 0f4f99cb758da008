import { limits, type Operation } from '@herald/contracts'
import type { FastifyContextConfig } from 'fastify'

type Part = 'params' | 'querystring' | 'headers' | 'body'

export type OperationOfRoute = Pick<Operation, Part | 'public' | 'scope' | 'etag' | 'bodyBytes'>

/** The schemas of an operation with their exact types, from which handlers infer theirs. */
type SchemaOf<Of extends OperationOfRoute> = { readonly [Name in Extract<keyof Of, Part>]: Of[Name] }

/** The options of the route that serves an operation: authorization and validation. */
export function routeOptions<const Of extends OperationOfRoute>(
  operation: Of,
): { bodyLimit: number; config: FastifyContextConfig; schema: SchemaOf<Of> } {
  const { params, querystring, headers, body, scope, etag, bodyBytes = limits.smallBodyBytes } = operation
  const parts = Object.entries({ params, querystring, headers, body }).filter(([, schema]) => schema !== undefined)
  return {
    bodyLimit: bodyBytes,
    config: {
      ...(operation.public ? { public: true } : {}),
      ...(scope === undefined ? {} : { scope }),
      ...(etag ? { etag } : {}),
    },
    schema: Object.fromEntries(parts) as SchemaOf<Of>,
  }
}
