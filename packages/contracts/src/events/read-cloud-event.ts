import type { DeadLetterReason } from '../base/dead-letter-reasons.ts'
import { describeIssues } from '../base/issue-list.ts'
import { findUnsafeJson } from '../base/json-safety.ts'
import { limits } from '../base/limits.ts'
import { decodeUtf8, hasRegistryBytes } from '../base/utf8.ts'
import { toValidationIssues } from '../base/zod-issues.ts'
import { type CloudEventAttributes, cloudEventAttributesSchema } from './cloud-event.ts'
import { describeForeign, registryDetail } from './foreign-record.ts'
import { headerText, type RecordHeaders } from './record-headers.ts'

export type EventRecord = { readonly value: Buffer | null; readonly headers: RecordHeaders }

/** The CloudEvent of a record, or the reason why the record is not one. */
export type ReadEvent =
  | { readonly ok: true; readonly attributes: CloudEventAttributes; readonly data: unknown }
  | { readonly ok: false; readonly code: DeadLetterReason; readonly detail: string }

type JsonRead = { readonly ok: true; readonly json: unknown } | Extract<ReadEvent, { ok: false }>

const reject = (code: DeadLetterReason, detail: string) => ({ ok: false, code, detail }) as const

/**
 * Reads a record according to the Kafka protocol binding for CloudEvents 1.0: a content type `application/cloudevents…`
 * means structured mode, otherwise headers `ce_*` mean binary mode. Never throws.
 */
export function readCloudEvent(record: EventRecord): ReadEvent {
  const { value, headers } = record
  if (value && value.length > limits.eventBytes) {
    return reject('record_too_large', `The value is ${value.length} bytes, the limit is ${limits.eventBytes}`)
  }
  const contentType = headerText(headers, 'content-type')?.toLowerCase()
  if (contentType?.startsWith('application/cloudevents')) return readStructured(value, contentType)
  if (headerText(headers, 'ce_specversion') !== undefined) return readBinary(record, contentType)
  return reject('not_cloudevent', describeForeign(record))
}

function readStructured(value: Buffer | null, contentType: string): ReadEvent {
  if (contentType.startsWith('application/cloudevents-batch')) {
    return reject(
      'not_cloudevent',
      'The record is a batch (application/cloudevents-batch+json); send each event in a record of its own',
    )
  }
  if (!/^application\/cloudevents\+json\s*(;\s*charset="?utf-8"?\s*)?$/.test(contentType)) {
    return reject('not_cloudevent', 'The only supported structured format is application/cloudevents+json in UTF-8')
  }
  const read = readJson(value)
  if (!read.ok) return read
  const { json } = read
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return reject('not_cloudevent', 'The value is not a JSON object')
  }
  // A null attribute is unset (JSON format of CloudEvents 1.0.2, section 2.2).
  const event = Object.fromEntries(Object.entries(json).filter(([name, value]) => value !== null || name === 'data'))
  if (event.data_base64 === undefined) return withAttributes(event, event.data)
  if (typeof event.data_base64 !== 'string') return reject('not_cloudevent', 'data_base64 is not a string')
  const data = readJson(Buffer.from(event.data_base64, 'base64'))
  return data.ok ? withAttributes(event, data.json) : data
}

function readBinary({ value, headers }: EventRecord, contentType: string | undefined): ReadEvent {
  const read = readJson(value)
  if (!read.ok) return read
  const attributes: Record<string, unknown> = { datacontenttype: contentType }
  for (const name of Object.keys(headers)) {
    if (name.startsWith('ce_')) attributes[name.slice(3)] = headerText(headers, name)
  }
  return withAttributes(attributes, read.json)
}

function withAttributes(candidate: Record<string, unknown>, data: unknown): ReadEvent {
  const attributes = cloudEventAttributesSchema.safeParse(candidate)
  if (attributes.success) return { ok: true, attributes: attributes.data, data }
  return reject('invalid_attributes', describeIssues(toValidationIssues(attributes.error)))
}

function readJson(value: Buffer | null): JsonRead {
  if (!value || value.length === 0) return reject('not_json', 'The value is empty')
  if (hasRegistryBytes(value)) return reject('not_json', registryDetail)
  const text = decodeUtf8(value)
  let json: unknown
  try {
    json = JSON.parse(text ?? '')
  } catch {
    // The parser's message quotes the value, which must not appear in headers or logs.
    return reject('not_json', 'The value is not UTF-8 encoded JSON')
  }
  const unsafe = findUnsafeJson(json, limits.eventLevels, text)
  return unsafe.length === 0 ? { ok: true, json } : reject('unsafe_json', describeIssues(unsafe))
}
