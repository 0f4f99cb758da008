import type { FaultCode } from '@herald/contracts'
import type { ChangeEntries, InsertOutcome, Notifications, Receipts } from '@herald/store'
import type { DeadLetter, DeadLetters } from './dead-letter.ts'
import { type Decision, type DecisionTimes, decide, type TopicKind } from './decide.ts'
import type { IncomingRecord } from './incoming-record.ts'
import { toRecordText } from './record-text.ts'

export type RecordOutcome = 'stored' | 'expired' | FaultCode

export type RecordHandlerDependencies = {
  readonly notifications: Pick<Notifications, 'insertNew'>
  readonly changeEntries: Pick<ChangeEntries, 'insertNew'>
  readonly receipts: Pick<Receipts, 'apply' | 'settle'>
  readonly deadLetters: DeadLetters
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
    return { kind: 'dead-letter', code: 'undecidable', detail: 'Herald failed at this record' }
  }
}

/**
 * Handles a chunk: decide, store what is good, publish what is bad. Whatever it throws means that nothing is known, and
 * that the same records must come again; handling them twice changes nothing.
 */
export function createRecordHandler(dependencies: RecordHandlerDependencies): HandleRecords {
  const { notifications, changeEntries, receipts, deadLetters, times, observe } = dependencies

  const storeNotifications = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const origins = originsOf(decided, (decision) =>
      decision.kind === 'notification' ? decision.notification : undefined,
    )
    if (origins.size === 0) return []
    const stored = [...origins.keys()]
    const outcome = await notifications.insertNew(stored)
    await receipts.settle(stored)
    return refusals(outcome, origins)
  }

  const storeChangeEntries = async (decided: readonly Decided[]): Promise<DeadLetter[]> => {
    const origins = originsOf(decided, (decision) => (decision.kind === 'change-entry' ? decision.entry : undefined))
    return origins.size === 0 ? [] : refusals(await changeEntries.insertNew([...origins.keys()]), origins)
  }

  const applyReceipts = async (decided: readonly Decided[], now: Date): Promise<void> => {
    const found = decided.flatMap(({ record, decision }) =>
      decision.kind === 'receipt' ? [{ ...decision.receipt, record: toRecordText(record) }] : [],
    )
    if (found.length > 0) await receipts.apply(found, now)
  }

  return async (records, kind) => {
    const now = times()
    const decided = records.map((record) => ({ record, decision: tryDecide(record, kind, now) }))
    const refused = [...(await storeNotifications(decided)), ...(await storeChangeEntries(decided))]
    await applyReceipts(decided, now.now)
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

/** What is to be stored, and the record that each came from. */
function originsOf<T>(decided: readonly Decided[], pick: (decision: Decision) => T | undefined) {
  const origins = new Map<T, Decided>()
  for (const one of decided) {
    const picked = pick(one.decision)
    if (picked !== undefined) origins.set(picked, one)
  }
  return origins
}

function refusals<T>({ refused }: InsertOutcome<T>, origins: ReadonlyMap<T, Decided>): DeadLetter[] {
  return refused.map(({ document, reason: detail }) => {
    const { record, decision } = origins.get(document) as Decided
    return { record, code: 'refused_by_storage', detail, traceparent: decision.traceparent }
  })
}
