import { setTimeout as pause } from 'node:timers/promises'

const everyMs = 5

export async function until(holds) {
  while (!(await holds())) await pause(everyMs)
}
