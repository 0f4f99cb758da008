import type { RecordHeaders } from '@herald/contracts'
import type { OutgoingRecord } from '@herald/kafka'

const parts = '(?:value|headers|key)-omitted'
const origin = 'origin-(?:topic|partition|offset|last-offset|timestamp)'
/** The headers that Herald adds to a dead letter, and those of records that were renamed for it. */
const own = new RegExp(`^(?:original-)*herald-(?:error-code|error-detail|${origin}|${parts})$`)
const prefix = 'original-'

/** A record's headers as its dead letter has them: renamed if Herald uses the name, so that they say nothing about the letter. */
export function toLetterHeaders(headers: RecordHeaders): OutgoingRecord['headers'] {
  return toHeaders(headers, (name) => (own.test(name) ? prefix + name : name))
}

export function fromLetterHeaders(headers: RecordHeaders): OutgoingRecord['headers'] {
  return toHeaders(headers, (name) => {
    if (!own.test(name)) return name
    return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
  })
}

/** kafkajs can't write a header without a value. */
const writable = (value: Buffer | string | null | undefined) => value ?? ''

function toHeaders(headers: RecordHeaders, rename: (name: string) => string | undefined): OutgoingRecord['headers'] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const renamed = rename(name)
      return renamed === undefined ? [] : [[renamed, Array.isArray(value) ? value.map(writable) : writable(value)]]
    }),
  )
}
