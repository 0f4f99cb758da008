import { z } from 'zod'
import { changeEntrySchema } from './change-entry.ts'
import { pageLimitSchema } from './list-notifications.ts'
import { timestampSchema } from './timestamp.ts'
import { uuidSchema } from './uuid.ts'

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
  limit: pageLimitSchema,
  cursor: uuidSchema.optional(),
  ...filters,
})

/** The response of `GET /change-entries/all` as JSON (specification 4.4). */
export const changeEntriesSchema = z.object({ data: z.array(changeEntrySchema) })

/** The response of `GET /change-entries`. */
export const changeEntryPageSchema = z.object({
  data: z.object({
    changeEntries: z.array(changeEntrySchema),
    nextCursor: z.string().meta({ format: 'uuid' }).nullable(),
  }),
})
