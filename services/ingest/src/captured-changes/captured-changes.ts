import { setImmediate as nextTurn } from 'node:timers/promises'
import { headerText, traceparentOf } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import type { DecisionTimes } from '../clocks/latest-time.ts'
import type { DeadLetter, DeadLetters } from '../produce/dead-letter.ts'
import { type CapturedDecision, createDecideCapturedChange } from './map/decide-captured-change.ts'
import type { Mappings } from './map/mapping-file.ts'
import { reject } from './read/row-change.ts'
import { createRecordRedaction } from './redact/redacted-record.ts'

export type CapturedChanges = ReturnType<typeof createCapturedChanges>

export function createCapturedChanges(mappings: Mappings) {
  const withReplacedNulls = new Set<string>()
  const deciders = new Map(
    [...mappings].map(([topic, mapping]) => [
      topic,
      createDecideCapturedChange(mapping, () => withReplacedNulls.add(topic)),
    ]),
  )
  const redactions = new Map([...mappings].map(([topic, mapping]) => [topic, createRecordRedaction(mapping)]))
  const redact = async (record: IncomingRecord) => redactions.get(record.topic)?.(record) ?? record

  return {
    topics: [...mappings.keys()],
    /** Topics of which a record showed that NULL and the default of a column can't be told apart. */
    withReplacedNulls: withReplacedNulls as ReadonlySet<string>,
    /** Decides about a record of one of these topics. It depends on the record and its mapping only. */
    decide(
      record: IncomingRecord,
      times: DecisionTimes,
    ): CapturedDecision & { readonly traceparent?: string | undefined } {
      const { readFailure, topic, headers } = record
      const traceparent = traceparentOf(headerText(headers, 'traceparent'))
      if (readFailure) return { ...reject(readFailure.code, readFailure.detail), traceparent }
      const decide = deciders.get(topic)
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
