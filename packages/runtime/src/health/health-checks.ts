import { timedOut, withTimeLimit } from '../lifecycle/time-limit.ts'
import { toError } from '../logging/logged-error.ts'
import type { Logger } from '../logging/logger.ts'

/** The result of a check; the detail describes the problem. */
export type CheckOutcome =
  | { readonly ok: true; readonly detail?: string }
  | { readonly ok: false; readonly detail: string }

export type HealthCheck = {
  readonly name: string
  /** May throw or hang: both count as failed. The signal is aborted after the timeout. */
  readonly check: (signal: AbortSignal) => CheckOutcome | Promise<CheckOutcome>
}

/** `unanswered`: the check threw or timed out. */
export type CheckAnswer = 'ok' | 'failing' | 'unanswered'

export type CheckResult = { readonly name: string; readonly ok: boolean; readonly detail: string }

export type CheckRunnerOptions = {
  readonly logger: Pick<Logger, 'warn'>
  /** Timeout of each check in milliseconds. */
  readonly limitMs?: number
  /** Called after each check. */
  readonly onAnswer?: (name: string, answer: CheckAnswer) => void
}

/** Runs checks in parallel, each with a timeout. Never throws. */
export function createCheckRunner({ logger, limitMs = 2_000, onAnswer = () => {} }: CheckRunnerOptions) {
  async function runOne({ name, check }: HealthCheck): Promise<CheckResult> {
    const controller = new AbortController()
    try {
      // Started inside the promise, so that a synchronous throw is handled like a rejection.
      const outcome = await withTimeLimit(Promise.resolve(controller.signal).then(check), limitMs)
      if (outcome !== timedOut) {
        onAnswer(name, outcome.ok ? 'ok' : 'failing')
        return { name, ok: outcome.ok, detail: outcome.detail ?? '' }
      }
      onAnswer(name, 'unanswered')
      controller.abort()
      return { name, ok: false, detail: `No answer within ${limitMs} ms` }
    } catch (thrown) {
      onAnswer(name, 'unanswered')
      logger.warn({ err: toError(thrown), check: name }, 'Health check failed')
      return { name, ok: false, detail: 'The check failed; see the log' }
    }
  }

  return (checks: readonly HealthCheck[]): Promise<CheckResult[]> => Promise.all(checks.map(runOne))
}
