import { setImmediate as nextTurn } from 'node:timers/promises'
import { headerText, traceparentOf } from '@herald/contracts'
import type { IncomingRecord } from '../port/incoming-record.ts'
import type { DeadLetter, DeadLetters } from '../produce/dead-letter.ts'
import {
  type CapturedDecision,
  type CaptureTimes,
  createDecideCapturedChange,
  type DecideCapturedChange,
} from './map/decide-captured-change.ts'
import type { Mappings } from './map/mapping-file.ts'
import { reject } from './read/row-change.ts'
import { createRecordRedaction } from './redact/redacted-record.ts'

export type CapturedChanges = ReturnType<typeof createCapturedChanges>

type Mapped = {
  readonly decide: DecideCapturedChange
  readonly redact: (record: IncomingRecord) => Promise<IncomingRecord>
}

export function createCapturedChanges(mappings: Mappings) {
  const mapped = new Map<string, Mapped>()
  for (const [topic, mapping] of mappings) {
    mapped.set(topic, {
      decide: createDecideCapturedChange(mapping),
      redact: createRecordRedaction(mapping),
    })
  }
  const redact = async (record: IncomingRecord) => mapped.get(record.topic)?.redact(record) ?? record

  return {
    topics: [...mapped.keys()],
    /** Decides about a record of one of these topics. It depends on the record and its mapping only. */
    decide(
      record: IncomingRecord,
      times: CaptureTimes,
    ): CapturedDecision & { readonly traceparent?: string | undefined } {
      const { readFailure, topic, headers } = record
      const traceparent = traceparentOf(headerText(headers, 'traceparent'))
      if (readFailure) return { ...reject(readFailure.code, readFailure.detail), traceparent }
      const decide = mapped.get(topic)?.decide
      if (!decide) throw new Error(`The topic ${topic} is not mapped`)
      return { ...decide(record, times), traceparent }
    },
    redacting: ({ publish }: DeadLetters): DeadLetters => ({
      async publish(letters) {
        const redacted: DeadLetter[] = []
        for (const letter of letters) {
          await nextTurn()
          redacted.push({ ...letter, record: await redact(letter.record) })
        }
        await publish(redacted)
      },
    }),
  }
}
