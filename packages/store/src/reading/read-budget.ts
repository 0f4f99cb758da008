import { StorageUnavailableError } from '../storage-errors.ts'

/** The maximum size of the documents in one response of MongoDB. */
export const maxResponseBytes = 16 * 1024 * 1024

/** Limits the bytes of all responses that MongoDB may be sending to this process at the same time. */
export type ReadBudget = {
  /**
   * Runs `read` as soon as a response of `bytes` fits, in the order of the calls.
   *
   * @throws StorageUnavailableError after waiting too long
   */
  within<Result>(bytes: number, read: () => Promise<Result>): Promise<Result>
}

type Waiting = { readonly bytes: number; readonly enter: () => void }

/** A read that exceeds the limit runs without others. */
export function createReadBudget(totalBytes: number, waitMs = 8_000): ReadBudget {
  const queue: Waiting[] = []
  let free = totalBytes

  function acquire(bytes: number): Promise<void> {
    if (queue.length === 0 && bytes <= free) {
      free -= bytes
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const waiting = { bytes, enter }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1)
        reject(new StorageUnavailableError('Too many large reads are waiting for MongoDB'))
        admit()
      }, waitMs)
      queue.push(waiting)
    })
  }

  function admit(): void {
    for (let next = queue[0]; next && next.bytes <= free; next = queue[0]) {
      queue.shift()
      free -= next.bytes
      next.enter()
    }
  }

  return {
    async within(bytes, read) {
      const acquired = Math.min(bytes, totalBytes)
      await acquire(acquired)
      try {
        return await read()
      } finally {
        free += acquired
        admit()
      }
    },
  }
}
