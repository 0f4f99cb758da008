import { setImmediate as nextTurn } from 'node:timers/promises'

/** Asks for the next item before it hands one out, so that MongoDB and the reader do not wait for each other. */
export async function* readAhead<T>(items: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  try {
    for (let next = items.next(); ; ) {
      const { done, value } = await next
      if (done) return
      next = items.next()
      // Thrown when it is awaited; until then, the reader may be busy.
      next.catch(() => {})
      // Lets the driver send the command before the reader blocks the event loop.
      await nextTurn()
      yield value
    }
  } finally {
    await items.return()
  }
}
