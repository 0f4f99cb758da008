import type { FaultCode } from '@herald/contracts'
import type { ChangeEntries, NewNotification, Notifications, StoredChangeEntry } from '@herald/store'
import type { DeadLetter, DeadLetters } from './dead-letter.ts'
import { type Decision, decide, type TopicKind } from './decide.ts'
import type { IncomingRecord } from './incoming-record.ts'

export type RecordHandlerDependencies = {
  readonly notifications: Pick<Notifications, 'insertNew'>
  readonly changeEntries: Pick<ChangeEntries, 'insertNew'>
  readonly deadLetters: DeadLetters
  readonly clock: () => Date
  /** Told of every record once its outcome stands. */
  readonly observe: (record: IncomingRecord, outcome: 'stored' | FaultCode) => void
}

/** What came out of a chunk: all of it stands in MongoDB or among the dead letters when this is there. */
export type HandleRecords = (records: readonly IncomingRecord[], kind: TopicKind) => Promise<void>

type Decided = { readonly record: IncomingRecord; readonly decision: Decision }

function tryDecide(record: IncomingRecord, kind: TopicKind, now: Date): Decision {
  try {
    return decide(record, kind, now)
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
  const { notifications, changeEntries, deadLetters, clock, observe } = dependencies

  return async (records, kind) => {
    const now = clock()
    const decided = records.map((record) => ({ record, decision: tryDecide(record, kind, now) }))
    const refused = [
      ...(await storeNotifications(notifications, decided)),
      ...(await storeChangeEntries(changeEntries, decided)),
    ]
    const bad = [...decided.flatMap(toDeadLetter), ...refused]
    if (bad.length > 0) await deadLetters.publish(bad)
    const codes = new Map(bad.map(({ record, code }) => [record, code]))
    for (const { record } of decided) observe(record, codes.get(record) ?? 'stored')
  }
}

function toDeadLetter({ record, decision }: Decided): DeadLetter[] {
  return decision.kind === 'dead-letter' ? [{ record, code: decision.code, detail: decision.detail }] : []
}

async function storeNotifications(notifications: Pick<Notifications, 'insertNew'>, decided: readonly Decided[]) {
  const origins = new Map<NewNotification, IncomingRecord>()
  for (const { record, decision } of decided) {
    if (decision.kind === 'notification') origins.set(decision.notification, record)
  }
  if (origins.size === 0) return []
  const { refused } = await notifications.insertNew([...origins.keys()])
  return refused.map(({ document, reason }) => refusal(origins.get(document) as IncomingRecord, reason))
}

async function storeChangeEntries(changeEntries: Pick<ChangeEntries, 'insertNew'>, decided: readonly Decided[]) {
  const origins = new Map<StoredChangeEntry, IncomingRecord>()
  for (const { record, decision } of decided) {
    if (decision.kind === 'change-entry') origins.set(decision.entry, record)
  }
  if (origins.size === 0) return []
  const { refused } = await changeEntries.insertNew([...origins.keys()])
  return refused.map(({ document, reason }) => refusal(origins.get(document) as IncomingRecord, reason))
}

const refusal = (record: IncomingRecord, detail: string): DeadLetter => ({ record, code: 'refused_by_storage', detail })
