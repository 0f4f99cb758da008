import { z } from 'zod'
import type { JsonValue } from '../base/json-safety.ts'
import { limits } from '../base/limits.ts'
import { isUuid, uuidSchema } from '../base/uuid.ts'
import { pageLimitSchema, periodFilters } from './list-notifications.ts'

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
  entityType: z.string().optional().meta({ description: 'Only of entities of exactly this type' }),
  entityId: z.string().optional().meta({ description: 'Only of the entity with exactly this id, any text' }),
  userId: uuidSchema.optional().meta({ description: 'Only by the user with this UUID' }),
  actionType: z.string().optional().meta({ description: 'Only with exactly this action, such as `update`' }),
  changedField: z.string().optional().meta({ description: 'Only of exactly this field; empty: entries of whole rows' }),
  ...periodFilters,
}

/** The query of `GET /change-entries/all`. Filters are combined with AND. */
export const exportChangeEntriesQuerySchema = z.strictObject(filters)
export type ChangeEntryFilters = z.infer<typeof exportChangeEntriesQuerySchema>

const changeLogOrders = ['created', 'recorded'] as const

/** Whether a text may be a cursor of an order. Those of the recorded order are opaque, and are read by the service. */
const isCursorOf = (order: unknown, cursor: string) => (order === 'recorded' ? !isUuid(cursor) : isUuid(cursor))

/** The query of `GET /change-entries`: the same filters, with paging. */
export const listChangeEntriesQuerySchema = z
  .strictObject({
    order: z.enum(changeLogOrders).default('created').meta({
      description: '`created`: newest first. `recorded`: in the order in which they were recorded, to follow the log',
    }),
    limit: pageLimitSchema(limits.pageMax),
    cursor: z
      .string()
      .max(limits.cursorCharacters)
      .optional()
      .meta({
        description: `The \`nextCursor\` of the previous page in the same order, at most ${limits.cursorCharacters} characters`,
      }),
    ...filters,
  })
  .refine(({ order, cursor }) => cursor === undefined || isCursorOf(order, cursor), {
    path: ['cursor'],
    error: ({ input }) =>
      (input as { order?: unknown }).order === 'recorded' ? 'Must be a cursor of this order' : 'Must be a UUID',
    // Reported together with other errors.
    when: ({ value }) => typeof (value as { cursor?: unknown })?.cursor === 'string',
  })

/** The response of `GET /change-entries/all` as JSON (specification 4.4). */
export const changeEntriesSchema = z.object({ data: z.array(changeEntrySchema) })

export const changeEntryPageSchema = z.object({
  data: z.object({
    changeEntries: z.array(changeEntrySchema),
    nextCursor: z
      .string()
      .meta({ description: 'A UUID, `null` on the last page; in the recorded order opaque, and always present' })
      .nullable(),
    lagSeconds: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'Only in the recorded order: how far it may be behind what is stored' }),
    hasMore: z.boolean().optional().meta({
      description: 'Only in the recorded order: `false` exactly when nothing more was recorded when it was read',
    }),
  }),
})
