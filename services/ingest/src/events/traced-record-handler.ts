import { AsyncLocalStorage } from 'node:async_hooks'
import { type FinishedSpan, spanClock, type Tracing } from '@herald/runtime'
import {
  createRecordHandler,
  type HandledRecord,
  type HandleRecords,
  type RecordHandlerDependencies,
} from './record-handler.ts'

type Step = NonNullable<FinishedSpan['children']>[number]
type Chunk = { readonly startMs: number; readonly stored: Step[]; readonly deadLettered: Step[] }

/**
 * The handler of records with a span for each record whose event names a trace, below the publisher's own; under it what
 * stored the record, or made a dead letter of it. A chunk that has to come again is told of when it stands.
 */
export function createTracedRecordHandler(dependencies: RecordHandlerDependencies, tracing: Tracing): HandleRecords {
  const { notifications, changeEntries, receipts, deadLetters, observe } = dependencies
  const chunks = new AsyncLocalStorage<Chunk>()

  const timed =
    <Given extends unknown[], Made>(
      list: 'stored' | 'deadLettered',
      name: string,
      act: (...given: Given) => Promise<Made>,
    ) =>
    async (...given: Given): Promise<Made> => {
      const startMs = spanClock()
      const made = await act(...given)
      const attributes = {
        [list === 'stored' ? 'db.system.name' : 'messaging.system']: list === 'stored' ? 'mongodb' : 'kafka',
      }
      chunks.getStore()?.[list].push({ name, kind: 'client', startMs, endMs: spanClock(), attributes })
      return made
    }

  const tell = ({ record, outcome, traceparent }: HandledRecord, chunk: Chunk, endMs: number): void => {
    if (traceparent === undefined) return
    const isStored = outcome === 'stored' || outcome === 'expired'
    const { topic, partition, offset } = record
    tracing.record({
      name: `process ${topic}`,
      kind: 'consumer',
      ...{ traceparent, startMs: chunk.startMs, endMs, failed: !isStored },
      attributes: {
        'messaging.system': 'kafka',
        'messaging.operation.type': 'process',
        'messaging.destination.name': topic,
        'messaging.destination.partition.id': String(partition),
        'messaging.kafka.offset': Number(offset),
        'herald.outcome': outcome,
      },
      children: isStored ? chunk.stored : chunk.deadLettered,
    })
  }

  const handle = createRecordHandler({
    ...dependencies,
    notifications: { insertNew: timed('stored', 'insert notifications', notifications.insertNew) },
    changeEntries: { insertNew: timed('stored', 'insert change-entries', changeEntries.insertNew) },
    receipts: {
      apply: timed('stored', 'apply receipts', receipts.apply),
      settle: timed('stored', 'settle receipts', receipts.settle),
    },
    deadLetters: { publish: timed('deadLettered', 'publish dead letters', deadLetters.publish) },
    observe(handled) {
      observe(handled)
      const chunk = chunks.getStore()
      if (chunk) for (const one of handled) tell(one, chunk, spanClock())
    },
  })
  return (records, kind) =>
    chunks.run({ startMs: spanClock(), stored: [], deadLettered: [] }, () => handle(records, kind))
}
