import { z } from 'zod'
import { timestampSchema } from '../base/timestamp.ts'
import { fitsUuidV7, uuidSchema } from '../base/uuid.ts'

const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** W3C's `traceparent`, version 00: 55 characters. It only serves tracing, so anything else is as if absent. */
export const traceparentOf = (value: unknown): string | undefined =>
  typeof value === 'string' && traceparentPattern.test(value) ? value : undefined

/**
 * The attributes of a CloudEvents 1.0 event that Herald uses; others are ignored. `time` is parsed to milliseconds since
 * 1970, `subscriberid` to lower case.
 */
export const cloudEventAttributesSchema = z.compile(
  z.object({
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
    traceparent: z.string().regex(traceparentPattern).optional().catch(undefined),
  }),
)
export type CloudEventAttributes = z.infer<typeof cloudEventAttributesSchema>
