import { z } from 'zod'
import type { JsonValue } from './json-safety.ts'

const stateSchema = z.custom<JsonValue>().meta({ description: 'Any JSON value, including `null`' })

/** An entry of the change log (specification 2.5). */
export const changeEntrySchema = z.object({
  id: z.string().meta({ format: 'uuid' }),
  user: z.object({ id: z.string().meta({ format: 'uuid' }), name: z.string(), email: z.string() }),
  entityType: z.string(),
  entityId: z.string(),
  entityTitle: z.string(),
  actionType: z.string(),
  changedField: z.string(),
  createdAt: z.string().meta({ format: 'date-time' }),
  beforeState: stateSchema,
  afterState: stateSchema,
})
export type ChangeEntry = z.infer<typeof changeEntrySchema>
