import { toError } from '../logging/logged-error.ts'
import type { Logger } from '../logging/logger.ts'
import { TimedOut, within } from '../time/time-limit.ts'

export type CheckOutcome =
  | { readonly ok: true; readonly detail?: string }
  | { readonly ok: false; readonly detail: string }

export type HealthCheck = {
  readonly name: string
  /** May throw or hang: both count as failed. The signal is aborted after the timeout. */
  readonly check: (signal: AbortSignal) => CheckOutcome | Promise<CheckOutcome>
}

/** `unanswered`: the check threw or timed out. */
export const checkAnswers = ['ok', 'failing', 'unanswered'] as const
export type CheckAnswer = (typeof checkAnswers)[number]

export type CheckResult = { readonly name: string; readonly ok: boolean; readonly detail: string }

export type CheckRunnerOptions = {
  readonly logger: Pick<Logger, 'warn'>
  readonly limitMs?: number
  readonly onAnswer?: (name: string, answer: CheckAnswer) => void
}

/** Runs checks in parallel, each with a timeout. Never throws. */
export function createCheckRunner({ logger, limitMs = 2_000, onAnswer = () => {} }: CheckRunnerOptions) {
  async function runOne({ name, check }: HealthCheck): Promise<CheckResult> {
    const controller = new AbortController()
    try {
      // Started inside the promise, so that a synchronous throw is handled like a rejection.
      const { ok, detail = '' } = await within(limitMs, Promise.resolve(controller.signal).then(check))
      onAnswer(name, ok ? 'ok' : 'failing')
      return { name, ok, detail }
    } catch (thrown) {
      onAnswer(name, 'unanswered')
      controller.abort()
      if (thrown instanceof TimedOut) return { name, ok: false, detail: thrown.message }
      logger.warn({ err: toError(thrown), check: name }, 'Health check failed')
      return { name, ok: false, detail: 'The check failed; see the log' }
    }
  }

  return (checks: readonly HealthCheck[]): Promise<CheckResult[]> => Promise.all(checks.map(runOne))
}
