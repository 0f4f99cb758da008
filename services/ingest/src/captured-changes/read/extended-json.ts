import { bytesToUuid, type JsonValue } from '@herald/contracts'
import { isObject, type JsonObject } from './json-document.ts'
import { toInteger } from './lossless-json.ts'

/**
 * Replaces MongoDB's extended JSON: numbers become JSON numbers, or strings where a double cannot hold them; dates become
 * ISO 8601; ids, UUIDs and decimals become their text; binary data becomes base64. Other types stay as they are.
 */
export function fromExtendedJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(fromExtendedJson)
  const plain = toPlain(value)
  if (plain !== undefined) return plain
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromExtendedJson(item)]))
}

function toPlain(value: JsonObject): JsonValue | undefined {
  const keys = Object.keys(value)
  const [key] = keys
  if (key === undefined || keys.length > 2 || !keys.some((name) => name.startsWith('$'))) return undefined
  if (Object.hasOwn(value, '$binary')) return binary(value)
  return keys.length === 1 ? conversions.get(key)?.(value[key] as JsonValue) : undefined
}

const text = (value: JsonValue) => (typeof value === 'string' ? value : undefined)
const integer = (value: JsonValue) => toInteger(value) ?? undefined

const conversions = new Map<string, (value: JsonValue) => JsonValue | undefined>([
  ['$oid', text],
  ['$uuid', text],
  ['$numberInt', integer],
  ['$numberLong', integer],
  ['$numberDecimal', text],
  ['$numberDouble', double],
  ['$date', date],
])

function double(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'string') return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : value
}

function date(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string' && !/^-?\d+$/.test(value)) return isoTime(Date.parse(value)) ?? value
  const milliseconds = toInteger(isObject(value) ? value.$numberLong : value)
  if (milliseconds === null) return undefined
  return isoTime(Number(milliseconds)) ?? milliseconds
}

function isoTime(milliseconds: number): string | undefined {
  const time = new Date(milliseconds)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const uuidSubtype = 4

/** `{ $binary: base64, $type: hex }`, or `{ $binary: { base64, subType } }`. */
function binary({ $binary: content, $type: type }: JsonObject): JsonValue | undefined {
  const [base64, subType] = isObject(content) ? [content.base64, content.subType] : [content, type]
  if (typeof base64 !== 'string' || typeof subType !== 'string') return undefined
  const bytes = Buffer.from(base64, 'base64')
  return Number.parseInt(subType, 16) === uuidSubtype && bytes.length === 16 ? bytesToUuid(bytes) : base64
}
