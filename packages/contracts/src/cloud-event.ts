import { z } from 'zod'
import { timestampSchema } from './timestamp.ts'
import { uuidSchema } from './uuid.ts'
import { fitsUuidV7 } from './uuid-v7.ts'

/**
 * The attributes of a CloudEvents 1.0 event that Herald uses; others are ignored. `time` is parsed to milliseconds since
 * 1970, `subscriberid` to lower case.
 */
export const cloudEventAttributesSchema = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  time: timestampSchema.refine(fitsUuidV7, { error: 'Must not be before 1970' }),
  subscriberid: uuidSchema,
  datacontenttype: z
    .string()
    .regex(/^application\/([\w.+-]+\+)?json\s*(;.*)?$/i, { error: 'Must be a JSON media type' })
    .optional(),
  /** W3C Trace Context. Only used for tracing, so an invalid one is ignored. */
  traceparent: z
    .string()
    .regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/)
    .optional()
    .catch(undefined),
})
export type CloudEventAttributes = z.infer<typeof cloudEventAttributesSchema>
