import { isConstant, isUuid, type JsonValue, limits, type MappedValue, type Mapping, pathOf } from '@herald/contracts'
import type { StoredChangeEntry } from '@herald/store'
import { toCanonicalJson } from './canonical-json.ts'
import { deriveUserId } from './derived-user-id.ts'
import { isObject } from './json-document.ts'
import { type RowRejection, reject } from './row-change.ts'

/** The properties shared by all entries of a change. */
export type MappedValues = {
  readonly kind: 'values'
  readonly values: Pick<StoredChangeEntry, 'subscriberId' | 'user' | 'entityType' | 'entityId' | 'entityTitle'>
}

/** The row from which values are taken. */
export type MappedRow = {
  /** Looks up a top-level field; `undefined` if the row does not have it, `null` if its value is unavailable. */
  readonly lookUp: (field: string) => JsonValue | undefined
  /** Whether a field that the row does not have is an error in the mapping. */
  readonly hasAllFields: boolean
  /** The advice for an empty value; may be empty itself. */
  readonly advice: string
}

export function mapValues(mapping: Mapping, row: MappedRow): MappedValues | RowRejection {
  const { id, name, email, derive } = mapping.user
  const read = (value: MappedValue | undefined) => (value === undefined ? null : readText(value, row.lookUp))

  const unknown = findUnknown(mapping, row)
  if (unknown !== undefined) return reject('mapping_failed', unknown)
  const subscriberId = read(mapping.subscriberId)
  if (subscriberId === null || !isUuid(subscriberId)) {
    return reject('subscriber_missing', `${describe('subscriberId', mapping.subscriberId)} is not a UUID${row.advice}`)
  }
  const entityId = read(mapping.entityId)
  if (entityId === null) {
    return reject('mapping_failed', `${describe('entityId', mapping.entityId)} is empty${row.advice}`)
  }
  const user = read(id)
  if (user === null) return reject('user_missing', `${describe('user.id', id)} is empty${row.advice}`)
  if (!derive && !isUuid(user)) {
    return reject('user_missing', `${describe('user.id', id)} is not a UUID; derive: true makes one`)
  }
  const subscriber = subscriberId.toLowerCase()
  const userId = isUuid(user) ? user.toLowerCase() : deriveUserId(subscriber, user)
  const values = {
    subscriberId: subscriber,
    user: { id: userId, name: read(name) ?? '', email: read(email) ?? '' },
    entityType: mapping.entityType,
    entityId,
    entityTitle: read(mapping.entityTitle) ?? '',
  }
  const tooLong = findTooLong(values)
  return tooLong === undefined ? { kind: 'values', values } : reject('mapping_failed', tooLong)
}

/** A misspelt name would otherwise make empty titles without anybody noticing. */
function findUnknown({ entityTitle, user }: Mapping, { lookUp, hasAllFields }: MappedRow): string | undefined {
  if (!hasAllFields) return undefined
  const optional = { entityTitle, 'user.name': user.name, 'user.email': user.email }
  for (const [name, value] of Object.entries(optional)) {
    const [field] = value === undefined ? [] : pathOf(value)
    if (value !== undefined && field !== undefined && lookUp(field) === undefined) {
      return `${describe(name, value)}: the row has no such field`
    }
  }
  return undefined
}

function readText(value: MappedValue, lookUp: MappedRow['lookUp']): string | null {
  return toText(isConstant(value) ? value.constant : follow(pathOf(value), lookUp))
}

function follow(path: readonly string[], lookUp: MappedRow['lookUp']): JsonValue {
  const [field = '', ...others] = path
  let value = lookUp(field)
  for (const name of others) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value ?? null
}

/** An empty text counts as none. */
function toText(value: JsonValue): string | null {
  if (value === null || value === '') return null
  return typeof value === 'string' ? value : toCanonicalJson(value)
}

function describe(name: string, value: MappedValue): string {
  return isConstant(value) ? name : `${name} (${pathOf(value).join('.').slice(0, 100)})`
}

/** Each entry of a change repeats these texts, so they are short. */
const longestText = 2_000

function findTooLong({ user, entityId, entityTitle }: MappedValues['values']): string | undefined {
  const texts: readonly [string, string, number][] = [
    ['entityId', entityId, longestText],
    ['entityTitle', entityTitle, longestText],
    ['user.name', user.name, limits.nameCharacters],
    ['user.email', user.email, longestText],
  ]
  const found = texts.find(([, text, max]) => text.length > max)
  return found && `${found[0]} has ${found[1].length} characters, the limit is ${found[2]}`
}
