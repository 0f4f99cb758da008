import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Creates a function that lets other work of the process run if the last turn of the event loop began a while ago. Awaiting
 * data that is there already does not.
 */
export function createTurns(everyMs = 5, now = () => performance.now()): () => Promise<void> {
  let last = now()
  return async () => {
    if (now() - last < everyMs) return
    await nextTurn()
    last = now()
  }
}
