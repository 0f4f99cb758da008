import { StorageUnavailableError } from './storage-errors.ts'

/** MongoDB puts no more documents into one answer. */
export const answerBytes = 16 * 1024 * 1024

/** Bounds the bytes of all answers that MongoDB may be sending to this process at the same time. */
export type ReadingRoom = {
  /**
   * Runs `read` as soon as there is room for an answer of `bytes`, in the order of asking.
   *
   * @throws StorageUnavailableError when there was none for too long
   */
  within<Result>(bytes: number, read: () => Promise<Result>): Promise<Result>
}

type Waiting = { readonly bytes: number; readonly enter: () => void }

/** A read that needs more room than there is at all runs on its own. */
export function createReadingRoom(totalBytes: number, waitMs = 8_000): ReadingRoom {
  const queue: Waiting[] = []
  let free = totalBytes

  function take(bytes: number): Promise<void> {
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
      const taken = Math.min(bytes, totalBytes)
      await take(taken)
      try {
        return await read()
      } finally {
        free += taken
        admit()
      }
    },
  }
}
