import { z } from 'zod'

/** The headers that `GET /notifications/stream` validates. Any id is accepted; for an unknown one the stream sends `reset`. */
export const streamHeadersSchema = z.object({
  'last-event-id': z
    .string()
    .optional()
    .meta({ description: 'The id of the last event received; the stream resumes after it' }),
})
