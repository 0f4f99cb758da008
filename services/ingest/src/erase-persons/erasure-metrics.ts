import { type ErasureProgress, erasurePhases } from '@herald/store'
import { Counter, Gauge, type Registry } from 'prom-client'

/** Creates the metrics of erasures. */
export function createErasureMetrics(registry: Registry) {
  const registers = [registry]
  const open = new Gauge({
    name: 'herald_erasures_open',
    help: 'Erasures of persons that are accepted and not done yet',
    registers,
  })
  const erased = new Counter({
    name: 'herald_erased_documents_total',
    help: 'Documents deleted or masked by erasures of persons, by phase',
    labelNames: ['phase'],
    registers,
  })
  const dropped = new Counter({
    name: 'herald_erased_receipts_total',
    help: 'Receipts dropped because their recipient was erased',
    registers,
  })
  // A series that starts with its first value starts above 0, which `increase` does not see.
  for (const phase of erasurePhases) erased.inc({ phase }, 0)
  return {
    observeOpen: (count: number) => open.set(count),
    observeStep: ({ phase, erasedNow }: ErasureProgress) => erased.inc({ phase }, erasedNow),
    observeDropped: (count: number) => dropped.inc(count),
  }
}

export type ErasureMetrics = ReturnType<typeof createErasureMetrics>
