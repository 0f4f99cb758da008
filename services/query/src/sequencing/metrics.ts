import type { RecordedLog, SequencerProgress } from '@herald/change-log'
import { Counter, Gauge, type Registry } from 'prom-client'

export type SequencingMetrics = ReturnType<typeof createSequencingMetrics>

export function createSequencingMetrics(registry: Registry, { lag }: Pick<RecordedLog, 'lag'>) {
  const registers = [registry]
  const entries = new Counter({
    name: 'herald_order_entries_total',
    help: 'Change entries that this process put in the recorded order',
    registers,
  })
  // Read from MongoDB, so that each process has it, whichever works.
  new Gauge({
    name: 'herald_order_lag_seconds',
    help: 'How far the recorded order may be behind what is stored; nothing before it is ready, or while MongoDB is unavailable',
    registers,
    async collect() {
      const seconds = await lag().catch(() => undefined)
      if (seconds === undefined) this.remove()
      else this.set(seconds)
    },
  })
  return { observe: ({ appended }: SequencerProgress) => entries.inc(appended) }
}
