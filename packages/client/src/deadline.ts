import { HeraldConnectionError } from './errors.ts'

/** A signal that is aborted with the caller's, or when the deadline expires. */
export type Deadline = ReturnType<typeof createDeadline>

/** Creates a running deadline. The caller must `release` or `end` it. */
export function createDeadline(milliseconds: number, caller: AbortSignal | undefined) {
  const controller = new AbortController()
  const { signal } = controller
  let timer: ReturnType<typeof setTimeout> | undefined
  const forward = () => controller.abort(caller?.reason)
  const expire = () => controller.abort(new HeraldConnectionError(`No response within ${milliseconds} ms`))
  const stop = () => clearTimeout(timer)
  const extend = (by = milliseconds) => {
    stop()
    timer = setTimeout(expire, by)
  }
  if (caller?.aborted) forward()
  caller?.addEventListener('abort', forward, { once: true })
  extend()

  function release(): void {
    stop()
    caller?.removeEventListener('abort', forward)
  }

  return {
    signal,
    /** Restarts the timer. */
    extend,
    /** Stops the timer; the caller may still abort. */
    stop,
    /** Stops the timer and detaches from the caller's signal. */
    release,
    /** Releases the deadline and aborts the request. */
    end() {
      release()
      controller.abort()
    },
    /** Runs a network action. Failures become `HeraldConnectionError`; an abort rejects with the signal's reason. */
    async during<T>(action: () => Promise<T>): Promise<T> {
      try {
        return await action()
      } catch (error) {
        signal.throwIfAborted()
        throw new HeraldConnectionError('The connection failed', { cause: error })
      }
    },
  }
}
