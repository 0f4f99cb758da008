import type { Schedule } from './schedule.ts'

/**
 * One kind of load, which runs in a process of its own: follows the schedule, and returns milliseconds between the intended time of
 * an operation and its end.
 */
export type Role = (schedule: Schedule) => Promise<Float64Array>
