import type { IncomingHttpHeaders } from 'node:http'
import { cloudEventAttributesSchema } from '@herald/contracts'

const schema = cloudEventAttributesSchema.shape.traceparent

/** The W3C Trace Context of a request; `undefined` if it has none or a malformed one. */
export function traceparentOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return schema.parse(traceparent)
}
