import { headerText } from '@herald/contracts'
import type { DeadLetters } from '../events/dead-letter.ts'
import type { IncomingRecord } from '../events/incoming-record.ts'
import {
  type CapturedDecision,
  type CaptureTimes,
  createDecideCapturedChange,
  type DecideCapturedChange,
} from './decide-captured-change.ts'
import type { Mappings } from './mapping-file.ts'
import { readDebeziumJson } from './read-debezium-json.ts'
import { createRecordRedaction } from './redacted-record.ts'
import { reject } from './row-change.ts'

/** The decisions about records of the mapped topics. */
export type CapturedChanges = {
  readonly topics: readonly string[]
  /** Decides about a record of one of these topics. It depends on the record and its mapping only. */
  decide(record: IncomingRecord, times: CaptureTimes): CapturedDecision & { readonly traceparent?: string | undefined }
  /** Publishes dead letters without the values of redacted fields. */
  redacting(deadLetters: DeadLetters): DeadLetters
}

type Mapped = {
  readonly decide: DecideCapturedChange
  readonly redact: (record: IncomingRecord) => IncomingRecord
}

export function createCapturedChanges(mappings: Mappings): CapturedChanges {
  const mapped = new Map<string, Mapped>()
  for (const [topic, mapping] of mappings) {
    mapped.set(topic, {
      decide: createDecideCapturedChange(mapping, readDebeziumJson),
      redact: createRecordRedaction(mapping, readDebeziumJson),
    })
  }
  const redact = (record: IncomingRecord) => mapped.get(record.topic)?.redact(record) ?? record

  return {
    topics: [...mapped.keys()],
    decide(record, times) {
      const { readFailure, topic, headers } = record
      const traceparent = headerText(headers, 'traceparent')
      if (readFailure) return { ...reject(readFailure.code, readFailure.detail), traceparent }
      const decide = mapped.get(topic)?.decide
      if (!decide) throw new Error(`The topic ${topic} is not mapped`)
      return { ...decide(record, times), traceparent }
    },
    redacting: ({ publish }) => ({
      publish: (letters) => publish(letters.map((letter) => ({ ...letter, record: redact(letter.record) }))),
    }),
  }
}
