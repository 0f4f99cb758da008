import { timedOut, withTimeLimit } from '../lifecycle/time-limit.ts'
import { toError } from '../logging/logged-error.ts'
import type { Logger } from '../logging/logger.ts'

/** What a check found; the detail says what is missing. */
export type CheckOutcome =
  | { readonly ok: true; readonly detail?: string }
  | { readonly ok: false; readonly detail: string }

export type HealthCheck = {
  readonly name: string
  /** May throw, and may take its time: after the limit it counts as failed, and the signal tells it to stop. */
  readonly check: (signal: AbortSignal) => CheckOutcome | Promise<CheckOutcome>
}

/** What came of asking: it holds, it does not, or nobody could say. */
export type CheckAnswer = 'ok' | 'failing' | 'unanswered'

export type CheckResult = { readonly name: string; readonly ok: boolean; readonly detail: string }

export type CheckRunnerOptions = {
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds that each check has. */
  readonly limitMs?: number
  /** Told of each check that was run. */
  readonly onAnswer?: (name: string, answer: CheckAnswer) => void
}

/** Runs checks side by side, each within its time. Never throws. */
export function createCheckRunner({ logger, limitMs = 2_000, onAnswer = () => {} }: CheckRunnerOptions) {
  async function runOne({ name, check }: HealthCheck): Promise<CheckResult> {
    const controller = new AbortController()
    try {
      // The check starts within the promise, so that one that throws at once fails like any other.
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
