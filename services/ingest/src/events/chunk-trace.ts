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

const untraced: ChunkTrace = {
  storing: (_, act) => act(),
  deadLettering: (act) => act(),
  end: () => {},
}

export function beginChunkTrace(tracing: Tracing | undefined): ChunkTrace {
  if (!tracing) return untraced
  const chunkMs = spanClock()
  const stored: Step[] = []
  const deadLettered: Step[] = []
  const timed = async <T>(steps: Step[], name: string, system: System, act: () => Promise<T>): Promise<T> => {
    const startMs = spanClock()
    const made = await act()
    const attributes = system === 'kafka' ? { 'messaging.system': system } : { 'db.system.name': system }
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
            'messaging.operation.type': 'process',
            'messaging.destination.name': topic,
            'messaging.destination.partition.id': String(partition),
            'messaging.kafka.offset': Number(offset),
            'herald.outcome': outcome,
          },
          children: failed ? deadLettered : stored,
        })
      }
    },
  }
}
