import type { Clock } from '../time/clock.ts'
import { within } from '../time/time-limit.ts'
import type { HealthCheck } from './health-checks.ts'

/** Work did not end in time. It is not cancelled and may still end. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

export type Deadlines = ReturnType<typeof createDeadlines>

/** Gives up work that does not end, and remembers it until it does. */
export function createDeadlines(clock: Clock) {
  const exceeded = new Map<Promise<unknown>, { readonly name: string; readonly since: Date }>()
  /** Fails while work that was given up has not ended. */
  const health: HealthCheck = {
    name: 'deadlines',
    check() {
      const [first] = exceeded.values()
      if (first === undefined) return { ok: true }
      return { ok: false, detail: `${first.name} has not ended since ${first.since.toISOString()}` }
    },
  }
  return {
    /** Settles with `work`, if it does so in time. @throws DeadlineExceeded */
    async keep<Value>(name: string, limitMs: number, work: Promise<Value>): Promise<Value> {
      const since = clock()
      let hasEnded = false
      const end = () => {
        hasEnded = true
        exceeded.delete(work)
      }
      work.then(end, end)
      try {
        return await within(limitMs, work)
      } catch (cause) {
        if (hasEnded) throw cause
        exceeded.set(work, { name, since })
        throw new DeadlineExceeded(`${name} has not ended within ${limitMs / 1_000} s`, { cause })
      }
    },
    health,
  }
}
