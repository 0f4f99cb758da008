import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../clock.ts'

/** Operations at a fixed rate, which several processes may follow: all know when an operation is due. */
export type Schedule = {
  /** By `now()`. */
  readonly begin: number
  readonly perSecond: number
  /** The sequence number of the first operation. */
  readonly first: number
  readonly count: number
}

export type Operation = { readonly sequence: number; readonly intendedAt: number }

const tickMs = 5

export const dueAt = ({ begin, perSecond, first }: Schedule, sequence: number) =>
  begin + ((sequence - first) * 1_000) / perSecond

/** Calls `send` with the operations that have become due, until there are no more. */
export async function onSchedule(schedule: Schedule, send: (operations: readonly Operation[]) => void): Promise<void> {
  const { begin, perSecond, first, count } = schedule
  const last = first + count
  for (let next = first; next < last; await pause(tickMs)) {
    const due = Math.min(last, first + Math.floor(((now() - begin) / 1_000) * perSecond) + 1)
    const operations: Operation[] = []
    for (; next < due; next++) operations.push({ sequence: next, intendedAt: dueAt(schedule, next) })
    if (operations.length > 0) send(operations)
  }
}
