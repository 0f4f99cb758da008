import { z } from 'zod'
import type { JsonValue } from '../base/json-safety.ts'
import { limits } from '../base/limits.ts'
import { timestampSchema } from '../base/timestamp.ts'
import { uuidSchema } from '../base/uuid.ts'
import { pageLimitSchema } from './list-notifications.ts'

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

const filters = {
  entityType: z.string().optional(),
  entityId: z.string().optional(),
  userId: uuidSchema.optional(),
  actionType: z.string().optional(),
  changedField: z.string().optional(),
  createdFrom: timestampSchema.optional(),
  createdTo: timestampSchema.optional(),
}

/** The query of `GET /change-entries/all`. Filters are combined with AND. */
export const exportChangeEntriesQuerySchema = z.strictObject(filters)
export type ChangeEntryFilters = z.infer<typeof exportChangeEntriesQuerySchema>

/** The query of `GET /change-entries`: the same filters, with paging. */
export const listChangeEntriesQuerySchema = z.strictObject({
  limit: pageLimitSchema(limits.pageMax),
  cursor: uuidSchema.optional(),
  ...filters,
})

/** The response of `GET /change-entries/all` as JSON (specification 4.4). */
export const changeEntriesSchema = z.object({ data: z.array(changeEntrySchema) })

export const changeEntryPageSchema = z.object({
  data: z.object({
    changeEntries: z.array(changeEntrySchema),
    nextCursor: z.string().meta({ format: 'uuid' }).nullable(),
  }),
})
