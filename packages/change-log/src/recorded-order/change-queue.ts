/** Items that may wait until they are taken. Then the producer is not asked for more. */
const maxWaiting = 5_000

/** Reads ahead of its consumer, so that what arrives while it is busy is taken at once. */
export function createChangeQueue<Item>(items: AsyncIterable<Item>) {
  let waiting: Item[] = []
  let failure: { readonly error: unknown } | undefined
  let hasEnded = false
  let isClosed = false
  let some = Promise.withResolvers<void>()
  let room = Promise.withResolvers<void>()

  async function read(): Promise<void> {
    try {
      for await (const item of items) {
        waiting.push(item)
        some.resolve()
        if (waiting.length < maxWaiting) continue
        room = Promise.withResolvers()
        if (!isClosed) await room.promise
      }
    } catch (error) {
      failure = { error }
    }
    hasEnded = true
    some.resolve()
  }
  const ended = read()

  return {
    /** Resolves when an item is waiting. @throws the error of the producer, or that it has ended, behind its last item */
    async waitForSome(): Promise<void> {
      await some.promise
      if (waiting.length > 0) return
      throw failure === undefined ? new Error('The changes have ended') : failure.error
    },
    take(): readonly Item[] {
      const taken = waiting
      waiting = []
      if (!hasEnded) some = Promise.withResolvers()
      room.resolve()
      return taken
    },
    /** Resolves when the producer has ended, which must be told to. */
    async close(): Promise<void> {
      isClosed = true
      room.resolve()
      await ended
    },
  }
}
