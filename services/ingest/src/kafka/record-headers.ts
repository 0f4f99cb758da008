import type { RecordHeaders } from '@herald/contracts'
import type { IHeaders } from 'kafkajs'

type One = Buffer | string | null | undefined

const isOne = (value: unknown): value is One =>
  value === null || value === undefined || typeof value === 'string' || Buffer.isBuffer(value)

/**
 * The headers of a record as they were sent. kafkajs gathers them in an object that inherits: to a header `constructor` or
 * `__proto__` it adds what every object has under that name, which nobody sent and nobody can write.
 */
export function readHeaders(headers: IHeaders | undefined): RecordHeaders {
  if (headers === undefined) return {}
  const isUsual = !Object.values(headers).some(Array.isArray)
  // Nothing was added to any: all is as it was sent.
  if (isUsual) return headers as RecordHeaders
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, readOne(value)]))
}

function readOne(value: IHeaders[string]): RecordHeaders[string] {
  if (!Array.isArray(value)) return value
  const sent = value.filter(isOne) as (Buffer | string)[]
  return sent.length === 1 ? sent[0] : sent
}
