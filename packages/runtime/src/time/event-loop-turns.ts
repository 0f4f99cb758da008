import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Creates a function that gives other work of the process its turn, if the last turn of the event loop began a while ago or if
 * `isDue`; otherwise there is nothing to await. Awaiting data that is there already does not.
 */
export function createTurns(everyMs: number) {
  let since = performance.now()
  const take = async () => {
    await nextTurn()
    since = performance.now()
  }
  return (isDue = false): Promise<void> | undefined =>
    isDue || performance.now() - since >= everyMs ? take() : undefined
}
