import type { MonotonicClock } from './fence.ts'

/** A clock that stands still until time passes. */
export function createTestClock() {
  let passedMs = 0
  const clock: MonotonicClock = () => passedMs
  return {
    clock,
    pass(ms: number): void {
      passedMs += ms
    },
  }
}
