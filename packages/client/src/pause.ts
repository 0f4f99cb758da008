/** Settles like the promise, or rejects with the signal's reason as soon as it is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
  // Also if the signal is aborted already: without a handler, a rejection of the promise would end a Node.js process.
  return Promise.race([aborted, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

/** Waits until the time is over, the signal is aborted, or a browser goes online again. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let wake = () => {}
  const waited = new Promise<void>((resolve) => {
    wake = resolve
    timer = setTimeout(resolve, milliseconds)
  })
  globalThis.addEventListener?.('online', wake)
  try {
    await abortable(waited, signal)
  } finally {
    clearTimeout(timer)
    globalThis.removeEventListener?.('online', wake)
  }
}
