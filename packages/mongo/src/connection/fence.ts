import { AsyncLocalStorage } from 'node:async_hooks'
import { MongoRuntimeError } from 'mongodb'

/** Runs work whose inserts are sent within the limit of the fence, or not at all. */
export type Fence = <T>(work: () => Promise<T>) => Promise<T>

/**
 * A writer that was frozen between its looks for retractions and erasures, and is then killed, never takes the second one.
 * So its inserts are sent within the first limit or not at all, and retractions and erasures are repeated after the second
 * one. By then every command that was sent has arrived, or its connection has ended.
 */
export const insertWithinMs = 60_000
export const lookAgainMs = 15 * 60_000

const checks = new AsyncLocalStorage<() => void>()

/** Milliseconds that have passed since some moment, by a clock of this process. */
export type MonotonicClock = () => number
export const ownClock: MonotonicClock = () => performance.now()

/** Both, because a clock stands still while its machine is paused, and one of them may be adjusted then. */
const bothClocks: readonly MonotonicClock[] = [ownClock, () => Date.now()]

/** Starts a limit for the writes that follow from the reads made now, also for their retries by the driver. */
export function createFence(limitMs: number, clock?: MonotonicClock): Fence {
  const clocks = clock ? [clock] : bothClocks
  const begun = clocks.map((clock) => clock())
  const check = () => {
    const isOver = clocks.some((clock, index) => clock() - (begun[index] as number) > limitMs)
    if (isOver) throw new MongoRuntimeError(`What was read more than ${limitMs} ms ago is not written any more`)
  }
  return (work) => checks.run(check, work)
}

/** @throws MongoRuntimeError if the fence around the caller is over; the driver does not retry then */
export function checkFence(): void {
  checks.getStore()?.()
}
