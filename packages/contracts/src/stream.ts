import { z } from 'zod'

/** The header fields of `GET /notifications/stream` that matter. Any id is taken: one that is not known is answered `reset`. */
export const streamHeadersSchema = z.object({
  'last-event-id': z
    .string()
    .optional()
    .meta({ description: 'The id of the last event received; the stream resumes after it' }),
})
