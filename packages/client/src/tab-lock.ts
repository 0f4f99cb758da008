type TabLockOptions = {
  /** Ends the wait for it. */
  readonly signal: AbortSignal
  /** Releases it. */
  readonly released: AbortSignal
}

/** Waits for a lock among the tabs of an origin, and holds it. */
export function acquireTabLock(name: string, { signal, released }: TabLockOptions) {
  const taken = new AbortController()
  let isHeld = false
  let onHeld = () => {}
  const held = new Promise<void>((resolve) => {
    onHeld = resolve
  })
  const hold = () =>
    new Promise<void>((resolve) => {
      if (released.aborted) return resolve()
      released.addEventListener('abort', () => resolve(), { once: true })
      isHeld = true
      onHeld()
    })
  const request = (options: LockOptions) => {
    // Rejects if the wait is aborted, or if another tab takes it from this one, which was frozen.
    navigator.locks.request(name, options, hold).catch((error) => taken.abort(error))
  }
  request({ signal })
  return {
    held,
    isHeld: () => isHeld,
    /** Aborted when another tab has taken it. */
    taken: taken.signal,
    /** Takes it from a tab that does not answer. */
    steal: () => request({ steal: true }),
  }
}
