import type { StartedWitnessing } from '@herald/change-log'
import type { Logger } from '@herald/runtime'
import type { Store } from '@herald/store'
import type { SealingMetrics } from './metrics.ts'
import type { SubmissionPolicy } from './policy-file.ts'
import { createWitnessClient } from './witness-client.ts'

type Dependencies = {
  readonly policy: SubmissionPolicy
  readonly store: Pick<Store, 'createWitnessing'>
  readonly metrics: Pick<SealingMetrics, 'answered' | 'observeWitnesses'>
  readonly logger: Pick<Logger, 'warn'>
}

const warnEveryMs = 60_000

/** Has checkpoints cosigned by the witnesses of a policy. */
export function createWitnesses({ policy, store, metrics, logger }: Dependencies): StartedWitnessing {
  const warnings = new Map(policy.witnesses.map(({ name }) => [name, { at: Number.NEGATIVE_INFINITY, others: 0 }]))
  /** A line a minute and witness, however many logs it refuses. */
  function warn(witness: string, fields: object, message: string): void {
    const warning = warnings.get(witness)
    if (warning === undefined) return
    if (performance.now() - warning.at < warnEveryMs) return void warning.others++
    logger.warn({ witness, ...fields, others: warning.others }, message)
    Object.assign(warning, { at: performance.now(), others: 0 })
  }
  const witnessing = store.createWitnessing({
    policy,
    witnesses: policy.witnesses.map((witness) => createWitnessClient(witness)),
    listener: {
      onAnswer(witness, subscriberId, submitted) {
        metrics.answered(witness, submitted.kind)
        if (submitted.kind === 'cosigned') return
        const { reason } = submitted
        const what = submitted.kind === 'refused' ? 'does not cosign the log of a subscriber' : 'is unavailable'
        warn(witness, { subscriberId, reason }, `A witness ${what}: ${reason}. Runbook: HeraldWitnessBehind`)
      },
      onFailure: (err, subscriberId) => logger.warn({ err, subscriberId }, 'Could not ask a witness, retrying'),
    },
  })
  metrics.observeWitnesses(witnessing)
  return witnessing
}
