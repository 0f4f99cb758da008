import type { JsonValue } from '@herald/contracts'
import { hasSchema, isObject, type JsonObject } from './json-document.ts'
import { toInteger } from './lossless-json.ts'

type ToText = (value: bigint) => string | undefined

const [billion, daySeconds] = [1_000_000_000n, 86_400n]
/** The dates that ISO 8601 writes with four digits of the year, or with six and a sign, as JavaScript does. */
const largestDay = 100_000_000n

/** The types of Debezium and Connect whose values are numbers. Those whose values are ISO 8601 already are not among them. */
const types: Readonly<Record<string, ToText>> = {
  'io.debezium.time.Date': dateOf,
  'io.debezium.time.Timestamp': (value) => timestampOf(value * 1_000_000n),
  'io.debezium.time.MicroTimestamp': (value) => timestampOf(value * 1_000n),
  'io.debezium.time.NanoTimestamp': timestampOf,
  'io.debezium.time.Time': (value) => timeOf(value * 1_000_000n),
  'io.debezium.time.MicroTime': (value) => timeOf(value * 1_000n),
  'io.debezium.time.NanoTime': timeOf,
  'io.debezium.time.Year': (value) => String(value).padStart(4, '0'),
  'io.debezium.time.MicroDuration': (value) => durationOf(value * 1_000n),
  'io.debezium.time.NanoDuration': durationOf,
  'org.apache.kafka.connect.data.Date': dateOf,
  'org.apache.kafka.connect.data.Timestamp': (value) => timestampOf(value * 1_000_000n),
  'org.apache.kafka.connect.data.Time': (value) => timeOf(value * 1_000_000n),
}

/** The payload of JSON with its schema: dates, times and durations that are numbers become ISO 8601 text, without a zone. */
export function withIsoTimes(json: JsonValue): JsonValue {
  return hasSchema(json) ? convert(json.schema, json.payload) : json
}

function convert(schema: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isObject(schema) || value === null) return value
  const toText = typeof schema.name === 'string' && Object.hasOwn(types, schema.name) ? types[schema.name] : undefined
  if (toText) return textOf(value, toText)
  if (Array.isArray(value)) return value.map((item) => convert(schema.items, item))
  if (!isObject(value)) return value
  return schema.type === 'map' ? convertMap(schema, value) : convertStruct(schema, value)
}

function textOf(value: JsonValue, toText: ToText): JsonValue {
  const integer = toInteger(value)
  return integer === null ? value : (toText(BigInt(integer)) ?? value)
}

const convertMap = (schema: JsonObject, value: JsonObject) =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(schema.values, item)]))

function convertStruct({ fields }: JsonObject, value: JsonObject): JsonObject {
  if (!Array.isArray(fields)) return value
  const converted: Record<string, JsonValue> = { ...value }
  for (const field of fields) {
    if (!isObject(field) || typeof field.field !== 'string' || !Object.hasOwn(value, field.field)) continue
    converted[field.field] = convert(field, value[field.field] as JsonValue)
  }
  return converted
}

function dateOf(days: bigint): string | undefined {
  if (days < -largestDay || days > largestDay) return undefined
  return new Date(Number(days) * 86_400_000).toISOString().split('T', 1)[0]
}

function timestampOf(nanoseconds: bigint): string | undefined {
  const seconds = floorDivide(nanoseconds, billion)
  const days = floorDivide(seconds, daySeconds)
  const date = dateOf(days)
  return date && `${date}T${clockOf(seconds - days * daySeconds)}${fractionOf(nanoseconds - seconds * billion)}`
}

/** A time of day, 24:00 included; MariaDB and MySQL have times that are negative or of many hours, which are durations. */
function timeOf(nanoseconds: bigint): string {
  const seconds = nanoseconds / billion
  if (nanoseconds < 0n || seconds > daySeconds) return durationOf(nanoseconds)
  return `${clockOf(seconds)}${fractionOf(nanoseconds % billion)}`
}

function durationOf(nanoseconds: bigint): string {
  const [sign, size] = nanoseconds < 0n ? ['-', -nanoseconds] : ['', nanoseconds]
  const seconds = size / billion
  const [hours, minutes, rest] = [seconds / 3_600n, (seconds / 60n) % 60n, seconds % 60n]
  const fraction = fractionOf(size % billion)
  const parts = [
    hours > 0n && `${hours}H`,
    minutes > 0n && `${minutes}M`,
    (rest > 0n || fraction) && `${rest}${fraction}S`,
  ]
  return `${sign}PT${parts.filter(Boolean).join('') || '0S'}`
}

const pad = (value: bigint) => String(value).padStart(2, '0')
const clockOf = (seconds: bigint) => [seconds / 3_600n, (seconds / 60n) % 60n, seconds % 60n].map(pad).join(':')
const floorDivide = (value: bigint, by: bigint) => (value - (((value % by) + by) % by)) / by

function fractionOf(nanoseconds: bigint): string {
  return nanoseconds === 0n
    ? ''
    : `.${String(nanoseconds)
        .padStart(9, '0')
        .replace(/0{1,8}$/, '')}`
}
