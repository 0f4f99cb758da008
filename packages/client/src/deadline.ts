import { HeraldConnectionError } from './errors.ts'

/** A signal that is aborted with the caller's, or when nothing came in time. */
export type Deadline = ReturnType<typeof createDeadline>

/** Counts until it is told that something came, or to count no more. Who made it has to release or end it. */
export function createDeadline(milliseconds: number, caller: AbortSignal | undefined) {
  const controller = new AbortController()
  const { signal } = controller
  let timer: ReturnType<typeof setTimeout> | undefined
  const forward = () => controller.abort(caller?.reason)
  const expire = () => controller.abort(new HeraldConnectionError(`Nothing came within ${milliseconds} ms`))
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
    /** Begins to count anew. */
    extend,
    /** Counts no more; the caller may still abort. */
    stop,
    /** Lets go of the caller's signal. */
    release,
    /** The same, and ends what still goes over the network. */
    end() {
      release()
      controller.abort()
    },
    /** Does what goes over the network: what fails there is one kind of error, what is aborted has the signal's reason. */
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
