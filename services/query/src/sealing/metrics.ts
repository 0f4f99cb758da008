import type { Sealer, Sealing, StartedWitnessing, Submitted } from '@herald/change-log'
import { Counter, Gauge, type Registry } from 'prom-client'

export type SealingMetrics = ReturnType<typeof createSealingMetrics>

export function createSealingMetrics(registry: Registry, conflicts: Pick<Sealing['conflicts'], 'count'>) {
  const registers = [registry]
  const checkpoints = new Counter({
    name: 'herald_log_checkpoints_total',
    help: 'Checkpoints of change logs that this process signed',
    registers,
  })
  const leaves = new Counter({
    name: 'herald_log_sealed_leaves_total',
    help: 'Leaves of change logs in checkpoints that this process signed, each once',
    registers,
  })
  // Read from MongoDB, so that each process has it, whichever works.
  new Gauge({
    name: 'herald_log_conflict',
    help: 'Change logs that are sealed no further until an operator has decided; nothing while MongoDB is unavailable',
    registers,
    async collect() {
      const count = await conflicts.count().catch(() => undefined)
      if (count === undefined) this.remove()
      // Somebody may have deleted what is stored, until the next look at these logs.
      else this.set(Math.max(count, sealer?.stopped() ?? 0))
    },
  })
  const foreignNotes = new Counter({
    name: 'herald_log_foreign_notes_total',
    help: 'Notes in KAFKA_CHECKPOINT_TOPIC under names of logs that no known key signed, each time that they are read',
    registers,
  })
  let sealer: Pick<Sealer, 'lagSeconds' | 'stopped'> | undefined
  new Gauge({
    name: 'herald_log_seal_lag_seconds',
    help: 'For how long the oldest leaf has been unsealed beyond the interval, without stopped logs; only in the process that seals',
    registers,
    collect() {
      const seconds = sealer?.lagSeconds()
      if (seconds === undefined) this.remove()
      else this.set(Math.round(seconds))
    },
  })
  const answers = new Counter({
    name: 'herald_log_witness_answers_total',
    help: 'Checkpoints that this process submitted to a witness, by outcome',
    labelNames: ['witness', 'outcome'],
    registers,
  })
  let witnessing: Pick<StartedWitnessing, 'lags'> | undefined
  new Gauge({
    name: 'herald_log_witness_lag_seconds',
    help: 'For how long a witness has lacked the newest checkpoint of a log, the oldest one; 0 in processes that do not seal',
    labelNames: ['witness'],
    registers,
    collect() {
      for (const { witness, seconds } of witnessing?.lags() ?? []) this.set({ witness }, Math.round(seconds))
    },
  })
  return {
    answered: (witness: string, outcome: Submitted['kind']): void => answers.inc({ witness, outcome }),
    observeWitnesses(one: Pick<StartedWitnessing, 'lags'>): void {
      witnessing = one
    },
    foreign: (count: number): void => foreignNotes.inc(count),
    observe(one: Pick<Sealer, 'lagSeconds' | 'stopped'>): void {
      sealer = one
    },
    sealed(count: number): void {
      checkpoints.inc()
      leaves.inc(count)
    },
  }
}
