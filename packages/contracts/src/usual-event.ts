import type { CloudEventAttributes } from './cloud-event.ts'
import type { ChangeRecorded, MentionCreated } from './event-data.ts'
import type { JsonValue } from './json-safety.ts'
import { limits } from './limits.ts'
import {
  type ActorType,
  actorTypes,
  type LocationType,
  locationTypes,
  type SubjectType,
  subjectTypes,
} from './values.ts'

/*
 * Fast path for events of the usual form, without zod, which takes three times as long as the rest of a decision.
 * Each function returns exactly the result of its schema, or `undefined` if the schema has to decide: for invalid input and
 * for valid but unusual input. Only the schemas reject events.
 */

type Fields = { readonly [name: string]: unknown }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
// UTC in seconds or milliseconds, without 29 February, which would need the rule for leap years.
const time =
  /^(?!0000)\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/
const trace = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTextUpTo = (value: unknown, max: number): value is string => typeof value === 'string' && value.length <= max
const isLowerCaseUuid = (value: unknown): value is string =>
  typeof value === 'string' && value.length === 36 && uuid.test(value)
const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The attributes of a usual event; see `cloudEventAttributesSchema`. */
export function readUsualAttributes(event: Fields): CloudEventAttributes | undefined {
  const { specversion, id, source, type, time: text, subscriberid, datacontenttype, traceparent } = event
  if (specversion !== '1.0' || !isFilled(id) || !isFilled(source) || !isFilled(type) || !isLowerCaseUuid(subscriberid))
    return
  if (!isText(text) || !time.test(text)) return
  if (datacontenttype !== undefined && datacontenttype !== 'application/json') return
  if (traceparent !== undefined && !(isText(traceparent) && trace.test(traceparent))) return
  const milliseconds = Date.parse(text)
  if (!(milliseconds >= 0)) return
  const attributes: CloudEventAttributes = { specversion, id, source, type, time: milliseconds, subscriberid }
  if (datacontenttype !== undefined) attributes.datacontenttype = datacontenttype
  if (traceparent !== undefined) attributes.traceparent = traceparent as string
  return attributes
}

/** The data of a usual change; see `changeRecordedSchema`. */
export function readUsualChange(data: unknown): ChangeRecorded | undefined {
  if (!isFields(data) || !isFields(data.user)) return
  const { id, name, email } = data.user
  if (!isLowerCaseUuid(id) || !isTextUpTo(name, limits.nameCharacters) || !isText(email)) return
  const { entityType, entityId, entityTitle, actionType, changedField } = data
  if (!isText(entityType) || !isText(entityId) || !isText(entityTitle)) return
  if (!isText(actionType) || !isText(changedField)) return
  return {
    user: { id, name, email },
    entityType,
    entityId,
    entityTitle,
    actionType,
    changedField,
    beforeState: (data.beforeState as JsonValue | undefined) ?? null,
    afterState: (data.afterState as JsonValue | undefined) ?? null,
  }
}

/** The data of a usual mention; see `mentionCreatedSchema`. */
export function readUsualMention(data: unknown): MentionCreated | undefined {
  if (!isFields(data) || !isFields(data.actor)) return
  const { id, name, image } = data.actor
  if (!isLowerCaseUuid(id) || !isTextUpTo(name, limits.nameCharacters) || !isTextUpTo(image, limits.imageCharacters))
    return
  const { actorType, subjectId, subjectType, locationId, locationType } = data
  if (!isLowerCaseUuid(subjectId) || !isLowerCaseUuid(locationId)) return
  if (!actorTypes.includes(actorType as ActorType)) return
  if (!subjectTypes.includes(subjectType as SubjectType)) return
  if (!locationTypes.includes(locationType as LocationType)) return
  const metadata = readUsualMetadata(data.metadata)
  const recipientIds = readUsualRecipients(data.recipientIds)
  if (metadata === undefined || recipientIds === undefined) return
  return {
    actor: { id, name, image },
    actorType: actorType as ActorType,
    subjectId,
    subjectType: subjectType as SubjectType,
    locationId,
    locationType: locationType as LocationType,
    metadata,
    recipientIds,
  }
}

/** JSON needs at most six bytes per UTF-16 unit: this many always fit into metadata. */
const maxMetadataCharacters = Math.floor(limits.metadataBytes / 6) - 100

function readUsualMetadata(metadata: unknown): MentionCreated['metadata'] | undefined {
  if (!isFields(metadata) || !isFields(metadata.mention)) return
  const { mention, add, edit } = metadata
  if (!isAbsentOrEmpty(add) || !isAbsentOrEmpty(edit)) return
  const { mentionerName, snippet, entityType, anchorId } = mention as Fields
  if (!isTextUpTo(mentionerName, limits.nameCharacters) || !isTextUpTo(snippet, limits.snippetCharacters)) return
  const read: MentionCreated['metadata']['mention'] = { mentionerName, snippet }
  let characters = mentionerName.length + snippet.length
  if (entityType !== undefined) {
    if (!isText(entityType)) return
    read.entityType = entityType
    characters += entityType.length
  }
  if (anchorId !== undefined) {
    if (!isText(anchorId)) return
    read.anchorId = anchorId
    characters += anchorId.length
  }
  if (entityType === undefined && anchorId === undefined) return
  if (characters > maxMetadataCharacters) return
  return { mention: read, add: (add as undefined) ?? {}, edit: (edit as undefined) ?? {} }
}

function isAbsentOrEmpty(value: unknown): boolean {
  if (value === undefined) return true
  if (!isFields(value)) return false
  for (const _ in value) return false
  return true
}

// Up to this many recipients, duplicates are found with `indexOf`, beyond it with a set.
const maxScannedRecipients = 16

function readUsualRecipients(ids: unknown): string[] | undefined {
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > limits.eventRecipients) return
  const isFew = ids.length <= maxScannedRecipients
  for (let i = 0; i < ids.length; i++) {
    if (!isLowerCaseUuid(ids[i]) || (isFew && ids.indexOf(ids[i]) < i)) return
  }
  return isFew || new Set(ids).size === ids.length ? ids : undefined
}
