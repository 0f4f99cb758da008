import { AsyncLocalStorage } from 'node:async_hooks'
import { type FinishedSpan, spanClock, type Tracing } from '@herald/runtime'
import {
  createRecordHandler,
  type HandledRecord,
  type HandleRecords,
  type RecordHandlerDependencies,
} from './record-handler.ts'
import { isDeadLetter } from './record-outcome.ts'

/** The dependencies that do IO. Each of them gets a span: the compiler notices one that is left out. */
type TracedDependencies = Omit<
  RecordHandlerDependencies,
  'group' | 'times' | 'capturedChanges' | 'observe' | 'onDroppedReceipts'
>
type Step = NonNullable<FinishedSpan['children']>[number]
type Chunk = { readonly startMs: number; readonly stored: Step[]; readonly deadLettered: Step[] }

/**
 * A record handler that records a span for each record whose event belongs to a trace, as a child of the publisher's span.
 * Its children are the operations that stored or dead-lettered the record. A chunk that is retried is recorded once, when it
 * succeeds.
 */
export function createTracedRecordHandler(dependencies: RecordHandlerDependencies, tracing: Tracing): HandleRecords {
  const { notifications, retractions, erasures, changeEntries, receipts, deadLetters, announceCreated, observe } =
    dependencies
  const chunks = new AsyncLocalStorage<Chunk>()

  const timed =
    <Given extends unknown[], Made>(
      list: 'stored' | 'deadLettered',
      name: string,
      act: (...given: Given) => Promise<Made>,
      system = list === 'stored' ? 'mongodb' : 'kafka',
    ) =>
    async (...given: Given): Promise<Made> => {
      const startMs = spanClock()
      const made = await act(...given)
      const attributes = system === 'kafka' ? { 'messaging.system': system } : { 'db.system.name': system }
      chunks.getStore()?.[list].push({ name, kind: 'client', startMs, endMs: spanClock(), attributes })
      return made
    }

  const recordSpan = ({ record, outcome, traceparent }: HandledRecord, chunk: Chunk, endMs: number): void => {
    if (traceparent === undefined) return
    const failed = isDeadLetter(outcome)
    const { topic, partition, offset } = record
    tracing.record({
      name: `process ${topic}`,
      kind: 'consumer',
      ...{ traceparent, startMs: chunk.startMs, endMs, failed },
      attributes: {
        'messaging.system': 'kafka',
        'messaging.operation.type': 'process',
        'messaging.destination.name': topic,
        'messaging.destination.partition.id': String(partition),
        'messaging.kafka.offset': Number(offset),
        'herald.outcome': outcome,
      },
      children: failed ? chunk.deadLettered : chunk.stored,
    })
  }

  const traced: TracedDependencies = {
    notifications: { insertNew: timed('stored', 'insert notifications', notifications.insertNew) },
    retractions: { apply: timed('stored', 'apply retractions', retractions.apply) },
    erasures: { accept: timed('stored', 'accept erasures', erasures.accept) },
    changeEntries: { insertNew: timed('stored', 'insert change-entries', changeEntries.insertNew) },
    receipts: {
      apply: timed('stored', 'apply receipts', receipts.apply),
      settle: timed('stored', 'settle receipts', receipts.settle),
    },
    announceCreated: announceCreated && timed('stored', 'announce notifications', announceCreated, 'kafka'),
    deadLetters: { publish: timed('deadLettered', 'publish dead letters', deadLetters.publish) },
  }
  const handle = createRecordHandler({
    ...traced,
    group: dependencies.group,
    times: dependencies.times,
    capturedChanges: dependencies.capturedChanges,
    onDroppedReceipts: dependencies.onDroppedReceipts,
    observe(handled) {
      observe(handled)
      const chunk = chunks.getStore()
      if (chunk) for (const one of handled) recordSpan(one, chunk, spanClock())
    },
  })
  return (records, kind) =>
    chunks.run({ startMs: spanClock(), stored: [], deadLettered: [] }, () => handle(records, kind))
}
