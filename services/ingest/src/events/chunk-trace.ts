import { type FinishedSpan, spanClock, type Tracing } from '@herald/runtime'
import { type HandledRecord, isDeadLetter } from './record-outcome.ts'

type Step = NonNullable<FinishedSpan['children']>[number]
type System = 'mongodb' | 'kafka'

/** The operations on one chunk. A chunk that is retried is recorded once, when it succeeds. */
export type ChunkTrace = {
  storing<T>(name: string, act: () => Promise<T>, system?: System): Promise<T>
  deadLettering<T>(act: () => Promise<T>): Promise<T>
  /** Records a span for each record whose event belongs to a trace, as a child of the publisher's span. */
  end(handled: readonly HandledRecord[]): void
}

/** Named by OpenTelemetry's semantic conventions. */
const attributesOf = {
  mongodb: { 'db.system.name': 'mongodb' },
  kafka: {
    'messaging.system': 'kafka',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
  },
} as const

const untraced: ChunkTrace = {
  storing: (_, act) => act(),
  deadLettering: (act) => act(),
  end: () => {},
}

export function beginChunkTrace(tracing: Tracing | undefined, group: string): ChunkTrace {
  if (!tracing) return untraced
  const chunkMs = spanClock()
  const stored: Step[] = []
  const deadLettered: Step[] = []
  const timed = async <T>(steps: Step[], name: string, system: System, act: () => Promise<T>): Promise<T> => {
    const startMs = spanClock()
    const made = await act()
    const attributes = attributesOf[system]
    steps.push({ name, kind: 'client', startMs, endMs: spanClock(), attributes })
    return made
  }
  return {
    storing: (name, act, system = 'mongodb') => timed(stored, name, system, act),
    deadLettering: (act) => timed(deadLettered, 'publish dead letters', 'kafka', act),
    end(handled) {
      const endMs = spanClock()
      for (const { record, outcome, traceparent } of handled) {
        if (traceparent === undefined) continue
        const { topic, partition, offset } = record
        const failed = isDeadLetter(outcome)
        tracing.record({
          name: `process ${topic}`,
          kind: 'consumer',
          traceparent,
          startMs: chunkMs,
          endMs,
          failed,
          attributes: {
            'messaging.system': 'kafka',
            'messaging.operation.name': 'process',
            'messaging.operation.type': 'process',
            'messaging.consumer.group.name': group,
            'messaging.destination.name': topic,
            'messaging.destination.partition.id': String(partition),
            'messaging.kafka.offset': Number(offset),
            'herald.outcome': outcome,
            ...(failed ? { 'error.type': outcome } : {}),
          },
          children: failed ? deadLettered : stored,
        })
      }
    },
  }
}
