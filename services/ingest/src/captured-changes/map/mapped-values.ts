import { hash } from 'node:crypto'
import type { StoredChangeEntry } from '@herald/change-log'
import {
  bytesToUuid,
  deriveSubscriberId,
  isConstant,
  isUuid,
  type JsonValue,
  limits,
  type MappedKey,
  type MappedValue,
  type Mapping,
  mappedKeyOf,
  pathOf,
  uuidToBytes,
} from '@herald/contracts'
import { toCanonicalJson } from '@herald/sealed-log'
import { isObject } from '../read/json-document.ts'
import { type RowRejection, reject } from '../read/row-change.ts'

type MappedValues = {
  readonly kind: 'values'
  readonly values: Pick<StoredChangeEntry, 'subscriberId' | 'user' | 'entityType' | 'entityId' | 'entityTitle'>
}

type MappedRow = {
  /** Looks up a top-level field; `undefined` if the row does not have it, `null` if its value is unavailable. */
  readonly lookUp: (field: string) => JsonValue | undefined
  /** Whether a field that the row does not have is an error in the mapping. */
  readonly hasAllFields: boolean
  /** The advice for an empty value; may be empty itself. */
  readonly advice: string
}

export type MapValues = (row: MappedRow) => MappedValues | RowRejection

/** Prepares a mapping: paths are split once, because it is applied to every record. */
export function createMapValues({ entityType, subscriberId, entityId, entityTitle, user }: Mapping): MapValues {
  const places = {
    subscriberId: toPlace('subscriberId', mappedKeyOf(subscriberId).id),
    entityId: toPlace('entityId', entityId),
    entityTitle: toPlace('entityTitle', entityTitle),
    userId: toPlace('user.id', user.id),
    userName: user.name === undefined ? undefined : toPlace('user.name', user.name),
    userEmail: user.email === undefined ? undefined : toPlace('user.email', user.email),
  }
  const keys = { subscriber: mappedKeyOf(subscriberId), user: mappedKeyOf(user) }
  // A misspelt name would otherwise make empty titles without anybody noticing.
  const optional = [places.entityTitle, places.userName, places.userEmail].filter((place) => place?.path.length)

  return ({ lookUp, hasAllFields, advice }) => {
    const read = (place: Place | undefined) => (place === undefined ? null : readText(place, lookUp))
    const unknown = hasAllFields && optional.find((place) => place && lookUp(place.path[0] as string) === undefined)
    if (unknown) return reject('mapping_failed', `${unknown.description}: the row has no such field`)
    const subscriberText = read(places.subscriberId)
    const owner = subscriberText && toUuid(subscriberText, keys.subscriber, deriveSubscriberId)
    if (!owner) {
      const fault = subscriberText === null ? `is empty${advice}` : `is not a UUID${remedyOf(subscriberText)}${advice}`
      return reject('subscriber_missing', `${places.subscriberId.description} ${fault}`)
    }
    const entity = read(places.entityId)
    if (entity === null) return reject('mapping_failed', `${places.entityId.description} is empty${advice}`)
    const person = read(places.userId)
    if (person === null) return reject('user_missing', `${places.userId.description} is empty${advice}`)
    const personId = toUuid(person, keys.user, (text) => deriveUserId(owner, text))
    if (!personId) {
      return reject('user_missing', `${places.userId.description} is not a UUID${remedyOf(person)}`)
    }
    const values = {
      subscriberId: owner,
      user: {
        id: personId,
        name: read(places.userName) ?? '',
        email: read(places.userEmail) ?? '',
      },
      entityType,
      entityId: entity,
      entityTitle: read(places.entityTitle) ?? '',
    }
    const tooLong =
      tooLongFor('subscriberId', subscriberText ?? '', longestText) ??
      tooLongFor('user.id', person, longestText) ??
      findTooLong(values)
    return tooLong === undefined ? { kind: 'values', values } : reject('mapping_failed', tooLong)
  }
}

/** A UUID, as text or as 16 bytes, or one that is derived from the text. */
function toUuid(
  text: string,
  { as, derive: isDerived }: MappedKey,
  derive: (text: string) => string,
): string | undefined {
  if (isUuid(text)) return text.toLowerCase()
  return (as === undefined ? undefined : uuidOfBytes(text)) ?? (isDerived ? derive(text) : undefined)
}

/** 16 bytes in hexadecimal, base64 or base64url. */
function uuidOfBytes(text: string): string | undefined {
  if (/^[0-9a-f]{32}$/i.test(text)) return bytesToUuid(Buffer.from(text, 'hex'))
  return /^[\w+/-]{22}(==)?$/.test(text) ? bytesToUuid(Buffer.from(text, 'base64')) : undefined
}

const remedyOf = (text: string) =>
  uuidOfBytes(text) === undefined
    ? '; derive: true makes one from another id'
    : '; as: uuid-bytes reads 16 bytes, derive: true makes one from another id'

/** Where a value is found; a constant has no path. */
type Place = { readonly description: string; readonly path: readonly string[]; readonly constant: string | null }

function toPlace(name: string, value: MappedValue): Place {
  if (isConstant(value)) return { description: name, path: [], constant: value.constant }
  const path = pathOf(value)
  return { description: `${name} (${path.join('.').slice(0, 100)})`, path, constant: null }
}

function readText({ path, constant }: Place, lookUp: MappedRow['lookUp']): string | null {
  return toText(constant ?? follow(path, lookUp))
}

function follow(path: readonly string[], lookUp: MappedRow['lookUp']): JsonValue {
  let value = lookUp(path[0] as string)
  for (let at = 1; at < path.length; at++) {
    const name = path[at] as string
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value ?? null
}

function toText(value: JsonValue): string | null {
  if (value === null || value === '') return null
  if (typeof value === 'string') return value
  const text = JSON.stringify(value)
  // Sorting the keys of a large value takes long, and it is rejected anyway.
  return text.length > longestText ? text : toCanonicalJson(value)
}

/** Each entry of a change repeats these texts, so they are short. */
const longestText = 2_000

function findTooLong({ user, entityId, entityTitle }: MappedValues['values']): string | undefined {
  return (
    tooLongFor('entityId', entityId, longestText) ??
    tooLongFor('entityTitle', entityTitle, longestText) ??
    tooLongFor('user.name', user.name, limits.nameCharacters) ??
    tooLongFor('user.email', user.email, longestText)
  )
}

const tooLongFor = (name: string, text: string, max: number) =>
  text.length > max ? `${name} has ${text.length} characters, the limit is ${max}` : undefined

/**
 * A stable id for a user whom a row identifies by something else than a UUID: the first 16 bytes of SHA-256 over the
 * subscriber's 16 bytes and the text in UTF-8, as a UUIDv8 (RFC 9562). The derivation is frozen.
 */
export function deriveUserId(subscriberId: string, text: string): string {
  const digest = hash('sha256', Buffer.concat([uuidToBytes(subscriberId), Buffer.from(text)]), 'buffer')
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80
  return bytesToUuid(digest)
}
