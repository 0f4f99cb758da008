import { z } from 'zod'
import { changeEntrySchema } from '../change-entry.ts'
import { changeEntriesSchema, changeEntryPageSchema } from '../list-change-entries.ts'
import { notificationPageSchema } from '../list-notifications.ts'
import { markedReadSchema, markReadSchema, unreadCountSchema } from '../mark-read.ts'
import { metadataSchema } from '../metadata.ts'
import {
  createdNotificationAnswerSchema,
  createdNotificationSchema,
  createNotificationSchema,
  notificationAnswerSchema,
  notificationSchema,
} from '../notification.ts'

export type JsonSchema = Record<string, unknown>

// Schemas listed under `components`; others are inlined.
const accepted = { CreateNotification: createNotificationSchema, MarkRead: markReadSchema }
const answered = {
  ...{ CreatedNotification: createdNotificationSchema, CreatedNotificationAnswer: createdNotificationAnswerSchema },
  ...{ Notification: notificationSchema, NotificationAnswer: notificationAnswerSchema },
  ...{ NotificationPage: notificationPageSchema, NotificationMetadata: metadataSchema },
  ...{ MarkedRead: markedReadSchema, UnreadCount: unreadCountSchema },
  ...{ ChangeEntry: changeEntrySchema, ChangeEntries: changeEntriesSchema, ChangeEntryPage: changeEntryPageSchema },
}

const uri = (name: string) => `#/components/schemas/${name}`

/** The schemas under `components`: requests as sent by clients, responses as sent by Herald. */
export function componentSchemas(): Record<string, JsonSchema> {
  return { ...toComponents(accepted, 'input'), ...toComponents(answered, 'output') }
}

/** A reference to the schema of a body under `components`. */
export function bodySchema(schema: z.ZodType): JsonSchema {
  const [name] = Object.entries({ ...accepted, ...answered }).find(([, named]) => named === schema) ?? []
  if (name === undefined) throw new TypeError('The schema of a body must be listed under components')
  return { $ref: uri(name) }
}

/** The JSON Schema of named request parts, such as a query. */
export function partsSchema(schema: z.ZodObject): { properties: Record<string, JsonSchema>; required?: string[] } {
  return z.toJSONSchema(schema, options('input')) as ReturnType<typeof partsSchema>
}

/** A standalone JSON Schema of input in the given dialect. */
export function jsonSchemaOf(schema: z.ZodType, target: 'draft-2020-12' | 'draft-7'): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { ...options('input'), target })
  return converted as JsonSchema
}

function toComponents(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const converted = z.toJSONSchema(registry, { ...options(io), uri }).schemas
  return Object.fromEntries(
    Object.entries(converted).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema as JsonSchema]),
  )
}

function options(io: 'input' | 'output') {
  return {
    io,
    // Custom schemas describe themselves in their metadata.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }) {
      const wireSchema = z.globalRegistry.get(zodSchema)?.wireSchema
      if (wireSchema !== undefined) {
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
        Object.assign(jsonSchema, wireSchema)
      }
      // Responses may gain fields within a major version, so only request schemas are closed.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  } as const
}
