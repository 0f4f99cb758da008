import { decodeUtf8, describeIssues, findUnsafeJson, type JsonValue, limits } from '@herald/contracts'
import {
  countMembers,
  countValues,
  mayHaveRounded,
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
  /** Parses JSON without rounding an integer, except in `ts_ns`, which Debezium writes into each record and nothing uses. */
  const readText = (text: string, name: string): JsonRead => {
    members -= countMembers(text, members)
    if (members >= 0) return readJsonText(text, name)
    return reject('record_too_large', `The record has more than ${mostMembers} members of objects`)
  }
  return {
    readText,
    /** Parses the key or the value. Never throws, and never quotes the content. */
    readBytes(bytes: Buffer, part: 'key' | 'value'): JsonRead {
      const text = decodeUtf8(bytes)
      return text === undefined ? reject('not_json', `The ${part} is not UTF-8`) : readText(text, `The ${part}`)
    },
  }
}

function readJsonText(text: string, name: string): JsonRead {
  let json: JsonValue
  try {
    json = JSON.parse(text)
  } catch {
    return reject('not_json', `${name} is not JSON`)
  }
  const unsafe = findUnsafeJson(json, limits.eventLevels, text)
  if (unsafe.length > 0) return reject('unsafe_json', describeIssues(unsafe))
  if (!mayBeRounded(json)) return { kind: 'json', json }
  if (countValues(json, mostSourcedValues) > mostSourcedValues) {
    return reject('record_too_large', `${name} has an integer beyond 2^53 among more than ${mostSourcedValues} values`)
  }
  return { kind: 'json', json: parseLosslessly(text) }
}

/** Whether a document has a rounded integer other than the `ts_ns` of its envelope and of the source. */
function mayBeRounded(json: JsonValue): boolean {
  if (!isObject(json)) return mayHaveRounded(json)
  const envelope = isObject(json.payload) ? json.payload : json
  if (!isObject(envelope.source)) return mayHaveRounded(json)
  for (const key in envelope) {
    if (key !== 'ts_ns' && mayHaveRounded(envelope[key], key === 'source' ? 'ts_ns' : undefined)) return true
  }
  return false
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
