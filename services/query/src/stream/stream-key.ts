export type StreamKeyDependencies = {
  readonly get: () => Promise<Buffer>
  readonly everyMs: number
  /** Whether anybody waits for a changed key; otherwise it is read with the next stream. */
  readonly isUsed: () => boolean
  readonly onChanged: (key: Buffer) => void
}

/** The key of the ids of events. It is replaced when MongoDB was restored from a backup: ids from before are void then. */
export function createStreamKey({ get, everyMs, isUsed, onChanged }: StreamKeyDependencies) {
  let known: { readonly key: Buffer; readonly readAt: number } | undefined
  let reading: Promise<Buffer> | undefined

  async function readOnce(): Promise<Buffer> {
    const readAt = performance.now()
    const key = await get()
    const isChanged = known !== undefined && !known.key.equals(key)
    known = { key, readAt }
    if (isChanged) onChanged(key)
    return key
  }

  function read(): Promise<Buffer> {
    reading ??= readOnce().finally(() => {
      reading = undefined
    })
    return reading
  }

  const timer = setInterval(() => {
    if (isUsed()) read().catch(() => {})
  }, everyMs).unref()

  return {
    /** @throws StorageUnavailableError if no key is known */
    async load(): Promise<Buffer> {
      if (known === undefined) return read()
      const { key, readAt } = known
      return performance.now() - readAt < everyMs ? key : read().catch(() => key)
    },
    /** The newest one that is known, if any was loaded. */
    get known() {
      return known?.key
    },
    close: () => clearInterval(timer),
  }
}
