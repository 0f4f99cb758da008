import { isDeepStrictEqual } from 'node:util'
import { type DeadLetterLog, type FoundLetter, headerOf } from './dead-letter-log.ts'
import { kindOf, receiptOf } from './event-plan.ts'
import type { Ledger, PoisonRecord } from './ledger.ts'
import type { Violations } from './violations.ts'

export interface DeadLetterFigures {
  deadLettersExpected: number
  deadLettersFound: number
  /** Letters of an origin that has one already, as a crash may leave them. */
  deadLettersRepeated: number
}

interface Dependencies {
  ledger: Ledger
  deadLetters: DeadLetterLog
  violations: Violations
}

/** Compares the dead letters with what was produced to become one, by origin, and each with its record. */
export function compareAllDeadLetters({ ledger, deadLetters, violations }: Dependencies): DeadLetterFigures {
  for (const [place, record] of ledger.poison) {
    const letters = deadLetters.letters.get(place)
    if (!letters) violations.add('dead-letter', `${place} (event ${record.n}) has no dead letter`)
    for (const letter of letters ?? []) {
      const different = differenceOf(record, letter)
      if (different) violations.add('dead-letter', `${place} (event ${record.n}): ${different}`)
    }
  }
  const overdue = overdueReceipts({ ledger, deadLetters })
  for (const [place, [letter]] of deadLetters.letters) {
    if (ledger.poison.has(place) || overdue.has(place)) continue
    const code = letter && headerOf(letter, 'herald-error-code')
    violations.add('good-dead-letter', `${place} is a dead letter (${code}), though it is good`)
  }
  const found = [...deadLetters.letters.keys()].filter((place) => ledger.poison.has(place)).length
  return {
    deadLettersExpected: ledger.poison.size,
    deadLettersFound: found,
    deadLettersRepeated: deadLetters.count() - deadLetters.letters.size,
  }
}

const receiptWaitMs = 10 * 60_000

/** Receipts, by place, that waited in vain: their notification was never published, and their 10 minutes were over. */
export function overdueReceipts({ ledger, deadLetters }: Omit<Dependencies, 'violations'>): Map<string, number> {
  const overdue = new Map<string, number>()
  for (const [place, [letter]] of deadLetters.letters) {
    if (!letter || headerOf(letter, 'herald-error-code') !== 'unmatched_receipt') continue
    const [, partition, offset] = /^(.*)\/(\d+)$/.exec(place) ?? []
    const record = ledger.partitions.get(partition ?? '')?.at(Number(offset))
    const waited = letter.at - Number(headerOf(letter, 'herald-origin-timestamp'))
    if (!record || kindOf(record.n) !== 'receipt' || waited < receiptWaitMs) continue
    if (!ledger.wasPublished(receiptOf(record.n).target)) overdue.set(place, record.n)
  }
  return overdue
}

function differenceOf(record: PoisonRecord, letter: FoundLetter): string | undefined {
  if (letter.key !== record.key) return 'another key'
  const omitted = headerOf(letter, 'herald-value-omitted')
  const bytes = Buffer.from(record.value ?? '', 'base64').length
  if (omitted === undefined && letter.value !== record.value) return 'another value'
  if (omitted !== undefined && (letter.value !== null || Number(omitted) !== bytes)) return 'a value omitted wrongly'
  if (!headerOf(letter, 'herald-error-code')) return 'no code'
  const own = letter.headers.filter(([name]) => !name.startsWith('herald-')).toSorted()
  return isDeepStrictEqual(own, record.headers.toSorted()) ? undefined : 'other headers'
}
