import { decodeUtf8, describeIssues, findUnsafeJson, hasRegistryBytes, type JsonValue, limits } from '@herald/contracts'
import {
  countJson,
  countValues,
  isUnsafeInteger,
  mostMembers,
  mostSourcedValues,
  parseLosslessly,
} from './lossless-json.ts'
import { type RowRejection, reject } from './row-change.ts'

export type JsonObject = { readonly [key: string]: JsonValue }
type JsonRead = { readonly kind: 'json'; readonly json: JsonValue } | RowRejection

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export type JsonReader = ReturnType<typeof createJsonReader>

/** Creates a reader of the JSON of one record, which may have a limited number of members in all of it. */
export function createJsonReader() {
  let members = mostMembers
  /** Parses JSON without rounding a number, except in `ts_ns`, which Debezium writes into each record and nothing uses. */
  const readText = (text: string, name: string): JsonRead => {
    const counts = countJson(text, members)
    members -= counts.members
    if (members >= 0) return readJsonText(text, name, counts.roundedNumbers)
    return reject('record_too_large', `The record has more than ${mostMembers} members of objects`)
  }
  return {
    readText,
    /** Parses the key or the value. Never throws, and never quotes the content. */
    readBytes(bytes: Buffer, part: 'key' | 'value'): JsonRead {
      if (hasRegistryBytes(bytes)) {
        const advice = `set ${part}.converter=org.apache.kafka.connect.json.JsonConverter`
        return reject('not_json', `The ${part} begins with the five bytes of a schema registry’s serializer; ${advice}`)
      }
      const text = decodeUtf8(bytes)
      return text === undefined ? reject('not_json', `The ${part} is not UTF-8`) : readText(text, `The ${part}`)
    },
  }
}

function readJsonText(text: string, name: string, roundedNumbers: number): JsonRead {
  let json: JsonValue
  try {
    json = JSON.parse(text)
  } catch {
    return reject('not_json', `${name} is not JSON`)
  }
  const unsafe = findUnsafeJson(json, limits.eventLevels, text)
  if (unsafe.length > 0) return reject('unsafe_json', describeIssues(unsafe))
  if (roundedNumbers <= countRoundedTimes(json)) return { kind: 'json', json }
  if (countValues(json, mostSourcedValues) > mostSourcedValues) {
    return reject('record_too_large', `${name} has a number of many digits among more than ${mostSourcedValues} values`)
  }
  return { kind: 'json', json: parseLosslessly(text) }
}

function countRoundedTimes(json: JsonValue): number {
  if (!isObject(json)) return 0
  const envelope = isObject(json.payload) ? json.payload : json
  return isObject(envelope.source)
    ? [envelope, envelope.source].filter((place) => isUnsafeInteger(place.ts_ns)).length
    : 0
}

/** The converter's `schemas.enable` puts key and value under `payload`, next to their `schema`. */
export function withoutSchema(json: JsonValue): JsonValue {
  return hasSchema(json) ? json.payload : json
}

export function hasSchema(json: JsonValue): json is JsonObject & { readonly payload: JsonValue } {
  if (!isObject(json) || Object.keys(json).length !== 2) return false
  return isSchema(json.schema) && json.payload !== undefined
}

const isSchema = (schema: JsonValue | undefined) =>
  schema === null || (isObject(schema) && typeof schema.type === 'string')
