import { isDeepStrictEqual } from 'node:util'
import { type DeadLetterLog, type FoundLetter, headerOf } from './dead-letter-log.ts'
import { kindOf, receiptOf } from './event-plan.ts'
import type { Ledger, PoisonRecord } from './ledger.ts'
import type { Violations } from './violations.ts'

export type DeadLetterFigures = {
  deadLettersExpected: number
  deadLettersFound: number
  /** Further letters of the same origin, which a crash may cause. */
  deadLettersRepeated: number
}

type Dependencies = {
  ledger: Ledger
  deadLetters: DeadLetterLog
  violations: Violations
}

/** Compares the dead letters with the poison records by origin, and each letter with its record. */
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
  const poisonValues = new Set([...ledger.poison.values()].map(({ value }) => value))
  for (const [place, [letter]] of deadLetters.letters) {
    if (ledger.poison.has(place) || overdue.has(place) || ledger.isOther(place)) continue
    // A copy that was never acknowledged: the producer sent it again.
    if (!isAcknowledged(ledger, place) && poisonValues.has(letter?.value ?? null)) continue
    const code = letter && headerOf(letter, 'herald-error-code')
    violations.add('good-dead-letter', `${place} is a dead letter (${code}) of a valid record`)
  }
  const found = [...deadLetters.letters.keys()].filter((place) => ledger.poison.has(place)).length
  return {
    deadLettersExpected: ledger.poison.size,
    deadLettersFound: found,
    deadLettersRepeated: deadLetters.count() - deadLetters.letters.size,
  }
}

function isAcknowledged(ledger: Ledger, place: string): boolean {
  const [partition = '', offset] = splitPlace(place)
  return ledger.partitions.get(partition)?.at(Number(offset)) !== undefined
}

const splitPlace = (place: string) => /^(.*)\/(\d+)$/.exec(place)?.slice(1) ?? []

const receiptWaitMs = 10 * 60_000

/** Receipts by origin that expired: their notification was never published within 10 minutes. */
export function overdueReceipts({ ledger, deadLetters }: Omit<Dependencies, 'violations'>): Map<string, number> {
  const overdue = new Map<string, number>()
  for (const [place, [letter]] of deadLetters.letters) {
    if (!letter || headerOf(letter, 'herald-error-code') !== 'unmatched_receipt') continue
    const [partition, offset] = splitPlace(place)
    const record = ledger.partitions.get(partition ?? '')?.at(Number(offset))
    const waited = letter.at - Number(headerOf(letter, 'herald-origin-timestamp'))
    if (!record || kindOf(record.n) !== 'receipt' || waited < receiptWaitMs) continue
    if (!ledger.wasPublished(receiptOf(record.n).target)) overdue.set(place, record.n)
  }
  return overdue
}

function differenceOf(record: PoisonRecord, letter: FoundLetter): string | undefined {
  const omitted = (part: string) => headerOf(letter, `herald-${part}-omitted`)
  const bytesOf = (text: string | null) => Buffer.from(text ?? '', 'base64').length
  const isWrong = (part: 'key' | 'value', bytes: number) => {
    const noted = omitted(part)
    if (noted === undefined) return letter[part] !== record[part]
    return letter[part] !== null || Number(noted) !== bytes
  }
  if (isWrong('key', bytesOf(record.key))) return 'different key'
  if (isWrong('value', record.valueBytes ?? bytesOf(record.value))) return 'different value'
  if (!headerOf(letter, 'herald-error-code')) return 'no error code'
  const own = letter.headers.filter(([name]) => !name.startsWith('herald-')).toSorted()
  const expected = omitted('headers') === undefined ? record.headers.toSorted() : []
  return isDeepStrictEqual(own, expected) ? undefined : 'different headers'
}
