import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Creates a function that gives other work of the process its turn, if the last turn of the event loop began a while ago or if
 * `isDue`. Awaiting data that is there already does not.
 */
export function createTurns(everyMs: number) {
  let since = performance.now()
  return async (isDue = false): Promise<void> => {
    if (!isDue && performance.now() - since < everyMs) return
    await nextTurn()
    since = performance.now()
  }
}
