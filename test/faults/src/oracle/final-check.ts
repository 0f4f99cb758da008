import type { Binary, Document } from 'mongodb'
import { until } from '../until.ts'
import { differences } from './compare-document.ts'
import { compareAllDeadLetters, type DeadLetterFigures, overdueReceipts } from './dead-letter-check.ts'
import type { DeadLetterLog } from './dead-letter-log.ts'
import { type EventPlan, isPoison, kindOf, receiptOf, waitingKey } from './event-plan.ts'
import { type ExpectedDocument, expectedChangeEntry, expectedNotifications, type Marks } from './expected-documents.ts'
import type { Ledger } from './ledger.ts'
import { keyText, type StoredDocuments } from './stored-documents.ts'
import type { Violations } from './violations.ts'

export type FinalCheckDependencies = {
  plan: EventPlan
  ledger: Ledger
  stored: StoredDocuments
  deadLetters: DeadLetterLog
  marks: Marks
  violations: Violations
}

export type Figures = DeadLetterFigures & {
  acknowledged: number
  expected: number
  stored: number
  lost: number
  doubled: number
}

/** `overdue` are the receipts that had expired and become dead letters before anything was compared. */
type CheckContext = FinalCheckDependencies & { overdue: ReadonlySet<number> }

const overdueEvents = (given: Pick<FinalCheckDependencies, 'ledger' | 'deadLetters'>) =>
  new Set(overdueReceipts(given).values())

/** The time in which a dead letter that was published is read here. */
const letterWithinMs = 10_000

const names = ['notifications', 'changeEntries', 'waitingReceipts'] as const
type Name = (typeof names)[number]

/**
 * Compares all stored documents with the expected ones, once the group is idle. Each collection is scanned once: looking
 * up a million documents by key takes ten times as long.
 */
export async function checkFinally(given: FinalCheckDependencies): Promise<Figures> {
  const dependencies: CheckContext = { ...given, overdue: overdueEvents(given) }
  const figures = { acknowledged: given.ledger.acknowledged(), expected: 0, stored: 0, lost: 0, doubled: 0 }
  for (const name of names) {
    const found = await compareCollection(dependencies, name)
    figures.lost += found.lost
    figures.doubled += found.doubled
    if (name === 'waitingReceipts') continue
    figures.stored += found.stored
    figures.expected += found.expected
  }
  return { ...figures, ...compareAllDeadLetters(dependencies) }
}

async function compareCollection(dependencies: CheckContext, name: Name) {
  const { ledger, stored, violations } = dependencies
  const found = { expected: 0, stored: 0, doubled: 0 }
  const expected = name === 'waitingReceipts' ? expectedWaiting(dependencies) : expectedOfEvents(dependencies, name)
  const seen = new Map<number, Set<number>>()

  for await (const document of stored[name].find({}, { batchSize: 5_000 })) {
    found.stored++
    const n = expected.eventOf(document)
    const place = n === undefined ? -1 : expected.of(n).findIndex(({ key }) => isKeyOf(key, document))
    if (n === undefined && expected.mayBeLeft?.(document)) continue
    if (n === undefined || place < 0) {
      const isDouble = n !== undefined && ledger.wasPublished(n) && !isPoison(n)
      if (isDouble) found.doubled++
      violations.add(isDouble ? 'doubled' : 'unexpected', `${name} ${keyText(document)} (event ${n})`)
      continue
    }
    const places = seen.get(n)
    if (places) places.add(place)
    else seen.set(n, new Set([place]))
    const different = differences(expected.of(n)[place] as ExpectedDocument, document)
    if (different.length > 0) violations.add('content', `${name} ${keyText(document)}: ${different.join('; ')}`)
  }
  const missing: Missing[] = []
  for (let n = 0; n < ledger.end(); n++) {
    for (const [place, { key }] of expected.of(n).entries()) {
      found.expected++
      if (!seen.get(n)?.has(place)) missing.push({ n, key })
    }
  }
  const lost = (await expected.notExpired?.(missing)) ?? missing
  for (const { n, key } of lost) violations.add('lost', `${name} ${key.toString('hex')} (event ${n})`)
  return { ...found, lost: lost.length }
}

type Missing = { readonly n: number; readonly key: Buffer }

/** Maps an event to its expected documents, and a document to its event. */
type Expected = {
  of(n: number): readonly ExpectedDocument[]
  eventOf(document: Document): number | undefined
  mayBeLeft?(document: Document): boolean
  /** Returns the missing ones of which no dead letter says that they have expired. */
  notExpired?(missing: readonly Missing[]): Promise<readonly Missing[]>
}

/** Documents that contain the number of their event. */
function expectedOfEvents({ plan, ledger, marks }: CheckContext, name: 'notifications' | 'changeEntries'): Expected {
  const kind = name === 'notifications' ? 'mention' : 'change'
  const make = (n: number): readonly ExpectedDocument[] => {
    if (!ledger.wasPublished(n) || kindOf(n) !== kind) return []
    return kind === 'mention'
      ? expectedNotifications(plan, n, ledger.wasPublished, marks)
      : [expectedChangeEntry(plan, n)]
  }
  // The documents of an event are mostly adjacent.
  let last: { n: number; documents: readonly ExpectedDocument[] } | undefined
  return {
    of(n) {
      if (last?.n !== n) last = { n, documents: make(n) }
      return last.documents
    },
    eventOf({ metadata, changedField }) {
      const text = /(?:"snippet":"event |^field )(\d+)/.exec(String(metadata ?? changedField))?.[1]
      return text === undefined ? undefined : Number(text)
    },
  }
}

/**
 * Receipts without a published notification: they are few, and their documents contain nothing but the key. A process that was
 * frozen may have stored another one after a second process had applied it, and died: it is applied again and removed after ten
 * minutes. The comparison of notifications shows that it was applied.
 */
function expectedWaiting({ plan, ledger, deadLetters, overdue }: CheckContext): Expected {
  const [events, applied] = [new Map<string, number>(), new Set<string>()]
  for (let n = 0; n < ledger.end(); n++) {
    if (!ledger.wasPublished(n) || kindOf(n) !== 'receipt' || overdue.has(n)) continue
    const key = waitingKey(plan, n).toString('hex')
    if (ledger.wasPublished(receiptOf(n).target)) applied.add(key)
    else events.set(key, n)
  }
  const waiting = new Set(events.values())
  const keyOf = (document: Document) => keyText(document as { _id: Binary })
  return {
    of: (n) => (waiting.has(n) ? [{ key: waitingKey(plan, n), fields: {} }] : []),
    eventOf: (document) => events.get(keyOf(document)),
    mayBeLeft: (document) => applied.has(keyOf(document)),
    // While a million documents are compared, more receipts expire. Each has its letter before it is removed.
    async notExpired(missing) {
      let left = missing
      const haveExpired = () => {
        const expired = overdueEvents({ ledger, deadLetters })
        left = missing.filter(({ n }) => !expired.has(n))
        return left.length === 0
      }
      await until('the letters of receipts that expired', haveExpired, { withinMs: letterWithinMs }).catch(() => {})
      return left
    },
  }
}

const isKeyOf = (key: Buffer, { _id }: Document) => key.equals((_id as Binary).buffer)
