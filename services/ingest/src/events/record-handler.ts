import type { TopicKind } from '@herald/contracts'
import type {
  ChangeEntries,
  InsertOutcome,
  NewNotification,
  Notifications,
  Receipt,
  Receipts,
  StoredChangeEntry,
} from '@herald/store'
import type { DeadLetter, DeadLetters } from './dead-letter.ts'
import { type Decision, type DecisionTimes, decide } from './decide.ts'
import type { IncomingRecord } from './incoming-record.ts'
import type { RecordOutcome } from './record-outcome.ts'
import { toRecordText } from './record-text.ts'

export type RecordHandlerDependencies = {
  readonly notifications: Pick<Notifications, 'insertNew'>
  readonly changeEntries: Pick<ChangeEntries, 'insertNew'>
  readonly receipts: Pick<Receipts, 'apply' | 'settle'>
  readonly deadLetters: DeadLetters
  /** The consumer group: what waits does so until this group has come to its notification. */
  readonly group: string
  readonly times: () => DecisionTimes
  /** Told of a chunk's records once their outcomes stand. */
  readonly observe: (handled: readonly HandledRecord[]) => void
}

/** What became of a record. */
export type HandledRecord = {
  readonly record: IncomingRecord
  readonly outcome: RecordOutcome
  readonly traceparent: string | undefined
}

/** What came out of a chunk: all of it stands in MongoDB or among the dead letters when this is there. */
export type HandleRecords = (records: readonly IncomingRecord[], kind: TopicKind) => Promise<void>

type Decided = { readonly record: IncomingRecord; readonly decision: Decision }

function tryDecide(record: IncomingRecord, kind: TopicKind, times: DecisionTimes): Decision {
  try {
    return decide(record, kind, times)
  } catch {
    // A fault of ours. The record waits among the dead letters until it is mended; it must not stop those behind it.
    return { kind: 'dead-letter', code: 'undecidable', detail: 'Herald failed to process this record' }
  }
}

/**
 * Handles a chunk: decide, store what is good, publish what is bad. Whatever it throws means that nothing is known, and
 * that the same records must come again; handling them twice changes nothing.
 */
export function createRecordHandler(dependencies: RecordHandlerDependencies): HandleRecords {
  const { notifications, changeEntries, receipts, deadLetters, group, times, observe } = dependencies

  const storeNotifications = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const found = pickAll(decided, notificationIn)
    if (found.length === 0) return []
    const { refused } = await notifications.insertNew(found)
    await receipts.settle(found)
    return refused.map((refusal) => toRefusedLetter(refusal, decided, notificationIn))
  }

  const storeChangeEntries = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const found = pickAll(decided, changeEntryIn)
    if (found.length === 0) return []
    const { refused } = await changeEntries.insertNew(found)
    return refused.map((refusal) => toRefusedLetter(refusal, decided, changeEntryIn))
  }

  const applyReceipts = async (decided: readonly Decided[], now: Date): Promise<DeadLetter[]> => {
    const found = new Map<Receipt, Decided>()
    for (const one of decided) {
      const { record, decision } = one
      if (decision.kind === 'receipt') found.set({ ...decision.receipt, record: toRecordText(record) }, one)
    }
    if (found.size === 0) return []
    const { refused } = await receipts.apply([...found.keys()], { now, group })
    return refused.map(({ document, reason: detail }) => {
      const { record, decision } = found.get(document) as Decided
      return { record, code: 'refused_by_storage', detail, traceparent: decision.traceparent }
    })
  }

  return async (records, kind) => {
    const now = times()
    const decided = records.map((record) => ({ record, decision: tryDecide(record, kind, now) }))
    const refused = [
      ...(await storeNotifications(decided)),
      ...(await storeChangeEntries(decided)),
      ...(await applyReceipts(decided, now.now)),
    ]
    const bad = [...decided.flatMap(toDeadLetter), ...refused]
    if (bad.length > 0) await deadLetters.publish(bad)
    const codes = new Map(bad.map(({ record, code }) => [record, code]))
    observe(
      decided.map(({ record, decision }) => ({
        record,
        outcome: codes.get(record) ?? (decision.kind === 'expired' ? 'expired' : 'stored'),
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

type Choose<T> = (decision: Decision) => T | undefined

const notificationIn: Choose<NewNotification> = (decision) =>
  decision.kind === 'notification' ? decision.notification : undefined
const changeEntryIn: Choose<StoredChangeEntry> = (decision) =>
  decision.kind === 'change-entry' ? decision.entry : undefined

function pickAll<T>(decided: readonly Decided[], pick: Choose<T>): T[] {
  const found: T[] = []
  for (const { decision } of decided) {
    const picked = pick(decision)
    if (picked !== undefined) found.push(picked)
  }
  return found
}

/** Refusals are rare: which record each is of is looked up then, and not kept for all. */
function toRefusedLetter<T>(
  { document, reason: detail }: InsertOutcome<T>['refused'][number],
  decided: readonly Decided[],
  pick: Choose<T>,
): DeadLetter {
  const { record, decision } = decided.find((one) => pick(one.decision) === document) as Decided
  return { record, code: 'refused_by_storage', detail, traceparent: decision.traceparent }
}
