import type { Operation } from '@herald/contracts'
import type { FastifyContextConfig } from 'fastify'

type Part = 'params' | 'querystring' | 'headers' | 'body'

/** What an operation of the contract says of its route. */
export type OperationOfRoute = Pick<Operation, Part | 'public' | 'scope' | 'etag'>

/** The schemas of the parts that the operation has, by their own types: handlers are typed by them. */
type SchemaOf<Of extends OperationOfRoute> = { readonly [Name in Extract<keyof Of, Part>]: Of[Name] }

/** The options of a route that serves an operation: who may call, and what is validated. */
export function routeOptions<const Of extends OperationOfRoute>(
  operation: Of,
): { config: FastifyContextConfig; schema: SchemaOf<Of> } {
  const { params, querystring, headers, body, scope, etag } = operation
  const parts = Object.entries({ params, querystring, headers, body }).filter(([, schema]) => schema !== undefined)
  return {
    config: {
      ...(operation.public ? { public: true } : {}),
      ...(scope === undefined ? {} : { scope }),
      ...(etag ? { etag } : {}),
    },
    schema: Object.fromEntries(parts) as SchemaOf<Of>,
  }
}
