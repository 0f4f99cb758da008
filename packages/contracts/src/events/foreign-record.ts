import { decodeUtf8, hasRegistryBytes } from '../base/utf8.ts'
import { headerText, type RecordHeaders } from './record-headers.ts'

export const registryDetail =
  'The value begins with the five bytes of a schema registry’s serializer; send plain JSON with a string or byte serializer'

/** Why a record is no CloudEvent, and what its publisher has to change where that can be known. Never quotes the record. */
export function describeForeign({
  value,
  headers,
}: {
  readonly value: Buffer | null
  readonly headers: RecordHeaders
}): string {
  if (value && hasRegistryBytes(value)) return registryDetail
  const names = Object.keys(headers)
  if (names.some((name) => /^ce-/i.test(name))) {
    return 'The attributes are in headers ce-…, as over HTTP; over Kafka their names begin with ce_'
  }
  const misspelt = names.find((name) => /^(content-type|ce_specversion)$/i.test(name) && name !== name.toLowerCase())
  if (misspelt !== undefined) return `The header ${misspelt.toLowerCase()} must be in lower case`
  const contentType = headerText(headers, 'content-type')
  if (!isStructuredEvent(value)) {
    return 'The record has neither content-type application/cloudevents+json nor a ce_specversion header'
  }
  const found = contentType === undefined ? 'without content-type' : `under ${shown(contentType)}`
  return `The value is a structured event ${found}; it must be application/cloudevents+json`
}

const shown = (type: string) => (/^[\w.+/-]{1,80}/.exec(type) ?? ['another content-type'])[0]

/** Larger values are not parsed for their detail. */
const longestParsed = 64 * 1024

function isStructuredEvent(value: Buffer | null): boolean {
  const text = value === null || value.length > longestParsed ? undefined : decodeUtf8(value)
  try {
    const json: unknown = JSON.parse(text ?? '')
    return typeof json === 'object' && json !== null && Object.hasOwn(json, 'specversion')
  } catch {
    return false
  }
}
