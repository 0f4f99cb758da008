import type {
  ChangeEntries,
  Erasure,
  Erasures,
  InsertOutcome,
  NewNotification,
  Notifications,
  Receipt,
  Receipts,
  Retraction,
  Retractions,
  StoredChangeEntry,
} from '@herald/store'
import type { AnnounceCreated } from '../announcements/announce-created.ts'
import type { CapturedChanges } from '../captured-changes/captured-changes.ts'
import type { DeadLetter, DeadLetters } from './dead-letter.ts'
import { type Decision, type DecisionTimes, decide } from './decide.ts'
import type { IncomingRecord } from './incoming-record.ts'
import type { RecordKind } from './record-kind.ts'
import type { RecordOutcome } from './record-outcome.ts'
import { toRecordText } from './record-text.ts'

export type RecordHandlerDependencies = {
  readonly notifications: Pick<Notifications, 'insertNew'>
  readonly retractions: Pick<Retractions, 'apply'>
  readonly erasures: Pick<Erasures, 'accept'>
  readonly changeEntries: Pick<ChangeEntries, 'insertNew'>
  readonly receipts: Pick<Receipts, 'apply' | 'settle'>
  readonly deadLetters: DeadLetters
  /** Announces stored notifications, or leaves them to the relay. */
  readonly announceCreated?: AnnounceCreated | undefined
  /** The consumer group. Receipts wait until this group has read as far as their notification. */
  readonly group: string
  readonly times: () => DecisionTimes
  /** Decides about records of the kind `captured`. */
  readonly capturedChanges?: Pick<CapturedChanges, 'decide'> | undefined
  /** Called with the number of receipts dropped because their recipient was erased. */
  readonly onDroppedReceipts?: ((count: number) => void) | undefined
  /** Called with the records of a chunk once their outcomes are durable. */
  readonly observe: (handled: readonly HandledRecord[]) => void
}

/** A record and its outcome. */
export type HandledRecord = {
  readonly record: IncomingRecord
  readonly outcome: RecordOutcome
  readonly traceparent: string | undefined
}

/** Handles a chunk. Resolves when each record is durable in MongoDB or in the dead-letter topic. */
export type HandleRecords = (records: readonly IncomingRecord[], kind: RecordKind) => Promise<void>

type Decided = { readonly record: IncomingRecord; readonly decision: Decision }

type Decide = (record: IncomingRecord, kind: RecordKind, times: DecisionTimes) => Decision

function createDecide(captured: RecordHandlerDependencies['capturedChanges']): Decide {
  return (record, kind, times) => {
    if (kind !== 'captured') return decide(record, kind, times)
    if (!captured) throw new Error('No mappings are configured')
    return captured.decide(record, times)
  }
}

function tryDecide(decideRecord: () => Decision): Decision {
  try {
    return decideRecord()
  } catch {
    // A bug in Herald. The record can be replayed from the dead letters once it is fixed; it must not block later records.
    return { kind: 'dead-letter', code: 'undecidable', detail: 'Herald failed to process this record' }
  }
}

/**
 * Handles a chunk: decides each record, stores the valid ones and publishes the others as dead letters. After an error
 * the outcome is unknown and the chunk must be retried, which is idempotent.
 */
export function createRecordHandler(dependencies: RecordHandlerDependencies): HandleRecords {
  const { notifications, retractions, erasures, changeEntries, receipts, deadLetters, announceCreated } = dependencies
  const { group, times, observe } = dependencies
  const decideRecord = createDecide(dependencies.capturedChanges)

  const acceptErasures = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const found = pickAll(decided, erasureIn)
    if (found.length === 0) return []
    const { refused } = await erasures.accept(found)
    return refused.map((refusal) => toRefusedLetter(refusal, decided, erasureIn))
  }

  const applyRetractions = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const found = pickAll(decided, retractionIn)
    if (found.length === 0) return []
    const { refused } = await retractions.apply(found)
    return refused.map((refusal) => toRefusedLetter(refusal, decided, retractionIn))
  }

  const storeNotifications = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const found = pickAll(decided, notificationIn)
    if (found.length === 0) return []
    const { refused } = await notifications.insertNew(found)
    if (announceCreated) await announceCreated(without(found, refused))
    await receipts.settle(found)
    return refused.map((refusal) => toRefusedLetter(refusal, decided, notificationIn))
  }

  const storeChangeEntries = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const found = pickAll(decided, changeEntriesIn)
    if (found.length === 0) return []
    const { refused } = await changeEntries.insertNew(found)
    return refused.map((refusal) => toRefusedLetter(refusal, decided, changeEntriesIn))
  }

  const applyReceipts = async (decided: readonly Decided[], now: Date): Promise<DeadLetter[]> => {
    const found = new Map<Receipt, Decided>()
    for (const one of decided) {
      const { record, decision } = one
      if (decision.kind === 'receipt') found.set({ ...decision.receipt, record: toRecordText(record) }, one)
    }
    if (found.size === 0) return []
    const { refused, dropped } = await receipts.apply([...found.keys()], { now, group })
    if (dropped > 0) dependencies.onDroppedReceipts?.(dropped)
    return refused.map(({ document, reason: detail }) => {
      const { record, decision } = found.get(document) as Decided
      return { record, code: 'refused_by_storage', detail, traceparent: decision.traceparent }
    })
  }

  return async (records, kind) => {
    const now = times()
    const decided = records.map((record) => ({ record, decision: tryDecide(() => decideRecord(record, kind, now)) }))
    const refused = [
      // First, so that a notification that is retracted in the same chunk is never visible.
      ...(await acceptErasures(decided)),
      ...(await applyRetractions(decided)),
      ...(await storeNotifications(decided)),
      ...(await storeChangeEntries(decided)),
      ...(await applyReceipts(decided, now.now)),
    ]
    const bad = oneOfEachRecord([...decided.flatMap(toDeadLetter), ...refused])
    if (bad.length > 0) await deadLetters.publish(bad)
    const codes = new Map(bad.map(({ record, code }) => [record, code]))
    observe(
      decided.map(({ record, decision }) => ({
        record,
        outcome:
          codes.get(record) ?? (decision.kind === 'expired' || decision.kind === 'skipped' ? decision.kind : 'stored'),
        traceparent: decision.traceparent,
      })),
    )
  }
}

function toDeadLetter({ record, decision }: Decided): DeadLetter[] {
  if (decision.kind !== 'dead-letter') return []
  const { code, detail, traceparent } = decision
  return [{ record, code, detail, traceparent }]
}

/** Of the entries of one record several may be refused. */
function oneOfEachRecord(letters: readonly DeadLetter[]): DeadLetter[] {
  return [...new Map(letters.toReversed().map((letter) => [letter.record, letter])).values()].toReversed()
}

/** Refused notifications may be stored for some recipients, but they are dead letters. */
function without(found: readonly NewNotification[], refused: InsertOutcome<NewNotification>['refused']) {
  if (refused.length === 0) return found
  const rejected = new Set(refused.map(({ document }) => document))
  return found.filter((notification) => !rejected.has(notification))
}

type Choose<T> = (decision: Decision) => readonly T[]
const none = [] as const

const notificationIn: Choose<NewNotification> = (decision) =>
  decision.kind === 'notification' ? [decision.notification] : none
const retractionIn: Choose<Retraction> = (decision) => (decision.kind === 'retraction' ? [decision.retraction] : none)
const erasureIn: Choose<Erasure> = (decision) => (decision.kind === 'erasure' ? [decision.erasure] : none)
const changeEntriesIn: Choose<StoredChangeEntry> = (decision) => {
  if (decision.kind === 'change-entry') return [decision.entry]
  return decision.kind === 'change-entries' ? decision.entries : none
}

function pickAll<T>(decided: readonly Decided[], pick: Choose<T>): T[] {
  const found: T[] = []
  for (const { decision } of decided) found.push(...pick(decision))
  return found
}

/** Refusals are rare, so the record of each is searched rather than indexed for all. */
function toRefusedLetter<T>(
  { document, reason: detail }: InsertOutcome<T>['refused'][number],
  decided: readonly Decided[],
  pick: Choose<T>,
): DeadLetter {
  const { record, decision } = decided.find((one) => pick(one.decision).includes(document)) as Decided
  return { record, code: 'refused_by_storage', detail, traceparent: decision.traceparent }
}
