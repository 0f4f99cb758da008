import { z } from 'zod'
import { openApiJsonValueSchema } from '../base/json-safety.ts'
import { changeEntriesSchema, changeEntryPageSchema, changeEntrySchema } from '../schemas/change-entry.ts'
import { groupPageSchema, groupSchema } from '../schemas/groups.ts'
import { notificationPageSchema } from '../schemas/list-notifications.ts'
import {
  archiveManySchema,
  markedSchema,
  markManySchema,
  markSeenSchema,
  seenSchema,
  unreadCountSchema,
} from '../schemas/marks.ts'
import { metadataSchema } from '../schemas/metadata.ts'
import { muteResponseSchema, muteSchema, mutesSchema } from '../schemas/mutes.ts'
import {
  createdNotificationResponseSchema,
  createdNotificationSchema,
  createNotificationSchema,
  notificationResponseSchema,
  notificationSchema,
} from '../schemas/notification.ts'
import {
  changeEntryProofSchema,
  checkpointKeysSchema,
  checkpointSchema,
  consistencySchema,
} from '../schemas/sealed-log.ts'

export type JsonSchema = Record<string, unknown>

// Schemas listed under `components`; others are inlined.
const accepted = {
  CreateNotification: createNotificationSchema,
  MarkRead: markManySchema,
  ArchiveMany: archiveManySchema,
  MarkSeen: markSeenSchema,
  SetMute: muteSchema,
}
const returned = {
  CreatedNotification: createdNotificationSchema,
  CreatedNotificationResponse: createdNotificationResponseSchema,
  Notification: notificationSchema,
  NotificationResponse: notificationResponseSchema,
  NotificationPage: notificationPageSchema,
  NotificationMetadata: metadataSchema,
  NotificationGroup: groupSchema,
  NotificationGroupPage: groupPageSchema,
  MarkedRead: markedSchema,
  Seen: seenSchema,
  UnreadCount: unreadCountSchema,
  MuteResponse: muteResponseSchema,
  Mutes: mutesSchema,
  ChangeEntry: changeEntrySchema,
  ChangeEntries: changeEntriesSchema,
  ChangeEntryPage: changeEntryPageSchema,
  Checkpoint: checkpointSchema,
  CheckpointKeys: checkpointKeysSchema,
  CheckpointConsistency: consistencySchema,
  ChangeEntryProof: changeEntryProofSchema,
}

const uri = (name: string) => `#/components/schemas/${name}`

/** The schemas under `components`: requests as sent by clients, responses as sent by Herald. */
export function componentSchemas(): Record<string, JsonSchema> {
  return { ...toComponents(accepted, 'input'), ...toComponents(returned, 'output'), JsonValue: openApiJsonValueSchema }
}

/** A reference to the schema of a body under `components`. */
export function bodySchema(schema: z.ZodType): JsonSchema {
  const [name] = Object.entries({ ...accepted, ...returned }).find(([, named]) => named === schema) ?? []
  if (name === undefined) throw new TypeError('The schema of a body must be listed under components')
  return { $ref: uri(name) }
}

/** A standalone JSON Schema of an object that is accepted. */
export function jsonSchemaOf(schema: z.ZodType, target: 'draft-2020-12' | 'draft-7' = 'draft-2020-12') {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { ...options('input'), target })
  return converted as { readonly properties: Record<string, JsonSchema>; readonly required?: string[] }
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
