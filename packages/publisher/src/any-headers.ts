import type { RecordHeaders } from '@herald/contracts'

type Name = Buffer | string
type Value = Buffer | string | readonly (Buffer | string)[] | null | undefined

/**
 * Headers as Kafka clients have them: an object (kafkajs), a `Map` (@platformatic/kafka), a list of objects with one key each
 * (node-rdkafka), or a list of pairs.
 */
export type AnyHeaders =
  | Readonly<Record<string, Value>>
  | ReadonlyMap<Name, Value>
  | readonly (Readonly<Record<string, Value>> | readonly [Name, Value])[]

/** The headers as an object; those of one name are a list. */
export function toRecordHeaders(headers: AnyHeaders | null | undefined): RecordHeaders {
  const collected = new Map<string, (Buffer | string)[]>()
  for (const [name, value] of entriesOf(headers ?? {})) {
    const values = collected.get(name.toString()) ?? []
    collected.set(name.toString(), values)
    for (const one of [value].flat()) if (one !== null && one !== undefined) values.push(one)
  }
  return Object.fromEntries(
    [...collected].map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? null)]),
  )
}

function entriesOf(headers: AnyHeaders): Iterable<readonly [Name, Value]> {
  if (headers instanceof Map) return headers
  if (!Array.isArray(headers)) return Object.entries(headers)
  return headers.flatMap((one) =>
    Array.isArray(one) ? [one as unknown as readonly [Name, Value]] : Object.entries(one),
  )
}
