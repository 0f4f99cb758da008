import type { ChangeEntries } from '@herald/change-log'
import type { DueBatch, Receipts, Retractions } from '@herald/feed'
import type { IncomingRecord } from '@herald/kafka'
import type { Erasures } from '@herald/persons'
import { createTurns, type Tracing } from '@herald/runtime'
import type { InsertOutcome, Notifications } from '@herald/store'
import type { CapturedChanges } from '../captured-changes/captured-changes.ts'
import type { DecisionTimes } from '../clocks/latest-time.ts'
import type { AnnounceCreated } from '../produce/announcement-publisher.ts'
import type { DeadLetter, DeadLetters } from '../produce/dead-letter.ts'
import type { RecordKind } from '../settings/config.ts'
import { beginChunkTrace, type ChunkTrace } from './chunk-trace.ts'
import { type Decision, type Documents, decide } from './decide.ts'
import { NotDueError } from './not-due-error.ts'
import type { HandledRecord } from './record-outcome.ts'

export type RecordHandlerDependencies = {
  readonly notifications: Pick<Notifications, 'insertNew'>
  readonly retractions: Pick<Retractions, 'accept'>
  readonly erasures: Pick<Erasures, 'accept'>
  readonly changeEntries: Pick<ChangeEntries, 'insertNew'>
  readonly receipts: Pick<Receipts, 'apply'>
  /** Announces stored notifications, or leaves them to the relay. */
  readonly announceCreated?: AnnounceCreated | undefined
  /** The consumer group. Receipts wait until this group has read as far as their notification. */
  readonly group: string
  /** Called with the number of receipts dropped because their recipient was erased. */
  readonly onDroppedReceipts?: ((count: number) => void) | undefined
  readonly deadLetters: DeadLetters
  readonly times: () => DecisionTimes
  readonly capturedChanges?: Pick<CapturedChanges, 'decide'> | undefined
  readonly tracing?: Tracing | undefined
  readonly observe: (handled: readonly HandledRecord[]) => void
}

/** Handles a chunk. Resolves when each record is durable in MongoDB or in the dead-letter topic. */
export type HandleRecords = (records: readonly IncomingRecord[], kind: RecordKind) => Promise<void>

const longestTurnMs = 20

type Decided = { readonly record: IncomingRecord; readonly decision: Decision }
type Row<Document> = {
  readonly span: string
  store(documents: readonly Document[], now: Date): Promise<Stored<Document>>
}
type Stored<Document> = Pick<InsertOutcome<Document>, 'refused'> & {
  readonly created?: DueBatch
  readonly dropped?: number
}

/**
 * Handles a chunk: decides each record, stores the valid ones and publishes the others as dead letters. After an error
 * the outcome is unknown and the chunk must be retried, which is idempotent.
 */
export function createRecordHandler(dependencies: RecordHandlerDependencies): HandleRecords {
  const { notifications, retractions, erasures, changeEntries, receipts, group } = dependencies
  const { deadLetters, times, capturedChanges, tracing, observe, announceCreated, onDroppedReceipts } = dependencies
  /** How documents of each kind are stored, in this order: a notification that is retracted in its own chunk is never visible. */
  const rows: { readonly [Kind in keyof Documents]: Row<Documents[Kind]> } = {
    erasure: { span: 'accept erasures', store: erasures.accept },
    retraction: { span: 'accept retractions', store: retractions.accept },
    notification: { span: 'insert notifications', store: notifications.insertNew },
    'change-entries': { span: 'insert change-entries', store: changeEntries.insertNew },
    receipt: { span: 'apply receipts', store: (all, now) => receipts.apply(all, { now, group }) },
  }

  const decideRecord = (record: IncomingRecord, kind: RecordKind, now: DecisionTimes): Decision => {
    try {
      if (kind !== 'captured') return decide(record, kind, now)
      if (!capturedChanges) throw new Error('No mappings are configured')
      return capturedChanges.decide(record, now)
    } catch {
      // A bug in Herald. The record can be replayed from the dead letters once it is fixed; it must not block later records.
      return { kind: 'dead-letter', code: 'undecidable', detail: 'Herald failed to process this record' }
    }
  }

  /** Returns the records that MongoDB refuses. */
  const store = async (decided: readonly Decided[], now: Date, trace: ChunkTrace): Promise<DeadLetter[]> => {
    const letters: DeadLetter[] = []
    const byKind = Map.groupBy(decided, ({ decision }) => decision.kind)
    for (const [kind, row] of Object.entries<Row<unknown>>(rows)) {
      const origins = new Map<unknown, Decided>()
      for (const one of byKind.get(kind as keyof Documents) ?? []) {
        if ('documents' in one.decision) for (const document of one.decision.documents) origins.set(document, one)
      }
      if (origins.size === 0) continue
      const documents = [...origins.keys()]
      const { refused, created, dropped = 0 } = await trace.storing(row.span, () => row.store(documents, now))
      if (created && announceCreated) {
        await trace.storing('announce notifications', () => announceCreated(created), 'kafka')
      }
      if (dropped > 0) onDroppedReceipts?.(dropped)
      for (const { document, reason: detail } of refused) {
        const { record, decision } = origins.get(document) as Decided
        letters.push({ record, code: 'refused_by_storage', detail, traceparent: decision.traceparent })
      }
    }
    return letters
  }

  const giveWay = createTurns(longestTurnMs)
  const decideEach = async (records: readonly IncomingRecord[], kind: RecordKind, now: DecisionTimes) => {
    const decided: Decided[] = []
    for (const record of records) {
      decided.push({ record, decision: decideRecord(record, kind, now) })
      await giveWay()
    }
    return decided
  }
  let lastDeciding: Promise<unknown> = Promise.resolve()

  return async (records, kind) => {
    const now = times()
    const trace = beginChunkTrace(tracing, group)
    // One chunk after the other, or those of several partitions would be decided in the same turn.
    const deciding = lastDeciding.then(() => decideEach(records, kind, now))
    lastDeciding = deciding
    const decided = await deciding
    throwIfNotDue(decided)
    const bad = oneOfEachRecord([...decided.flatMap(toDeadLetter), ...(await store(decided, now.now, trace))])
    if (bad.length > 0) await trace.deadLettering(() => deadLetters.publish(bad))
    const codes = new Map(bad.map(({ record, code }) => [record, code]))
    const handled = decided.map(
      ({ record, decision }): HandledRecord => ({
        record,
        outcome:
          codes.get(record) ?? (decision.kind === 'expired' || decision.kind === 'skipped' ? decision.kind : 'stored'),
        traceparent: decision.traceparent,
      }),
    )
    observe(handled)
    trace.end(handled)
  }
}

/** Before anything of the chunk is stored: dead letters would be published at each attempt. */
function throwIfNotDue(decided: readonly Decided[]): void {
  const times = decided.flatMap(({ decision }) => (decision.kind === 'not-due' ? decision.dueInMs : []))
  if (times.length > 0) throw new NotDueError(Math.max(...times))
}

function toDeadLetter({ record, decision }: Decided): DeadLetter[] {
  if (decision.kind !== 'dead-letter') return []
  const { code, detail, traceparent } = decision
  return [{ record, code, detail, traceparent }]
}

/** Several entries of one record may be refused. */
function oneOfEachRecord(letters: readonly DeadLetter[]): DeadLetter[] {
  return [...new Map(letters.toReversed().map((letter) => [letter.record, letter])).values()].toReversed()
}
