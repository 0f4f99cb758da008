import type { Collection, Document } from 'mongodb'
import { differences } from './compare-document.ts'
import { compareAllDeadLetters, type DeadLetterFigures, overdueReceipts } from './dead-letter-check.ts'
import type { DeadLetterLog } from './dead-letter-log.ts'
import { type EventPlan, isPoison, kindOf, receiptOf, waitingKey } from './event-plan.ts'
import { type ExpectedDocument, expectedChangeEntry, expectedNotifications, type Marks } from './expected-documents.ts'
import type { Ledger } from './ledger.ts'
import { keyText, type StoredDocuments } from './stored-documents.ts'
import type { Violations } from './violations.ts'

export interface FinalCheckDependencies {
  plan: EventPlan
  ledger: Ledger
  stored: StoredDocuments
  deadLetters: DeadLetterLog
  marks: Marks
  violations: Violations
}

export interface Figures extends DeadLetterFigures {
  acknowledged: number
  expected: number
  stored: number
  lost: number
  doubled: number
}

/** With the receipts that have become dead letters, as they must after a while. */
type Knowing = FinalCheckDependencies & { overdue: ReadonlySet<number> }

const eventsPerRound = 2_000

/** Compares everything that there is with everything that there must be, once nothing moves any more. */
export async function checkFinally(given: FinalCheckDependencies): Promise<Figures> {
  const dependencies: Knowing = { ...given, overdue: new Set(overdueReceipts(given).values()) }
  const { ledger, stored, violations } = dependencies
  const figures = { acknowledged: ledger.acknowledged(), expected: 0, stored: 0, lost: 0, doubled: 0 }
  const expected = { notifications: 0, changeEntries: 0, waitingReceipts: 0 }

  for (let start = 0; start < ledger.end(); start += eventsPerRound) {
    const round = expectedOfRound(dependencies, start, Math.min(start + eventsPerRound, ledger.end()))
    for (const name of ['notifications', 'changeEntries', 'waitingReceipts'] as const) {
      const documents = round[name]
      expected[name] += documents.length
      figures.lost += await compare(stored, stored[name], documents, violations)
    }
  }
  for (const name of ['notifications', 'changeEntries', 'waitingReceipts'] as const) {
    const count = await stored[name].countDocuments()
    if (name !== 'waitingReceipts') figures.stored += count
    if (name !== 'waitingReceipts') figures.expected += expected[name]
    if (count > expected[name]) figures.doubled += await reportExtras(dependencies, name)
  }
  return { ...figures, ...compareAllDeadLetters(dependencies) }
}

function expectedOfRound(dependencies: Knowing, start: number, end: number) {
  const { plan, ledger, marks, overdue } = dependencies
  const notifications: ExpectedDocument[] = []
  const changeEntries: ExpectedDocument[] = []
  const waitingReceipts: ExpectedDocument[] = []
  for (let n = start; n < end; n++) {
    if (!ledger.wasPublished(n)) continue
    const kind = kindOf(n)
    if (kind === 'mention') notifications.push(...expectedNotifications(plan, n, ledger.wasPublished, marks))
    else if (kind === 'change') changeEntries.push(expectedChangeEntry(plan, n))
    else if (!ledger.wasPublished(receiptOf(n).target) && !overdue.has(n))
      waitingReceipts.push({ key: waitingKey(plan, n), fields: {} })
  }
  return { notifications, changeEntries, waitingReceipts }
}

/** @returns how many are not there */
async function compare(
  stored: StoredDocuments,
  collection: Collection<never> | StoredDocuments['notifications'],
  documents: readonly ExpectedDocument[],
  violations: Violations,
): Promise<number> {
  let lost = 0
  const keys = documents.map(({ key }) => key)
  const found = await stored.find(collection as StoredDocuments['notifications'], keys)
  for (const document of documents) {
    const key = document.key.toString('hex')
    const one = found.get(key)
    if (!one) {
      lost++
      violations.add('lost', `${collection.collectionName} ${key}`)
      continue
    }
    const different = differences(document, one)
    if (different.length > 0) violations.add('content', `${collection.collectionName} ${key}: ${different.join('; ')}`)
  }
  return lost
}

/** @returns how many documents there are of events that have theirs under another key, too */
async function reportExtras(dependencies: Knowing, name: 'notifications' | 'changeEntries' | 'waitingReceipts') {
  const { ledger, stored, violations } = dependencies
  const known = new Set<string>()
  for (let start = 0; start < ledger.end(); start += eventsPerRound) {
    const round = expectedOfRound(dependencies, start, Math.min(start + eventsPerRound, ledger.end()))
    for (const { key } of round[name]) known.add(key.toString('hex'))
  }
  let doubled = 0
  for await (const document of stored[name].find({})) {
    if (known.has(keyText(document))) continue
    const n = eventOf(document)
    const isDouble = n !== undefined && ledger.wasPublished(n) && !isPoison(n)
    if (isDouble) doubled++
    violations.add(isDouble ? 'doubled' : 'unexpected', `${name} ${keyText(document)} (event ${n})`)
  }
  return doubled
}

/** The event that a document says it comes from. */
function eventOf({ metadata, changedField }: Document): number | undefined {
  const text = /(?:"snippet":"event |^field )(\d+)/.exec(String(metadata ?? changedField))?.[1]
  return text === undefined ? undefined : Number(text)
}
