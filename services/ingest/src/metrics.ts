import type { FaultCode } from '@herald/contracts'
import { Counter, type Registry } from 'prom-client'
import type { IncomingRecord } from './events/incoming-record.ts'

/** What is counted of events. */
export function createEventMetrics(registry: Registry) {
  const events = new Counter({
    name: 'herald_events_total',
    help: 'Records by topic and outcome; one that comes again is counted again',
    labelNames: ['topic', 'outcome'],
    registers: [registry],
  })
  const deadLetters = new Counter({
    name: 'herald_dead_letters_total',
    help: 'Dead letters by code',
    labelNames: ['code'],
    registers: [registry],
  })
  const retries = new Counter({
    name: 'herald_chunk_retries_total',
    help: 'Chunks that could not be stored or dead-lettered and come again, by topic',
    labelNames: ['topic'],
    registers: [registry],
  })
  return {
    observe({ topic }: IncomingRecord, outcome: 'stored' | FaultCode) {
      events.inc({ topic, outcome: outcome === 'stored' ? 'stored' : 'dead-letter' })
      if (outcome !== 'stored') deadLetters.inc({ code: outcome })
    },
    onRetry: (topic: string) => retries.inc({ topic }),
  }
}
