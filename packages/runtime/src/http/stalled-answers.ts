import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Progress = { left: number; looks: number }

/** Looks are counted instead of milliseconds: a process that was held up itself has not looked meanwhile. */
const looksPerStall = 12

/**
 * Cuts answers whose reader takes nothing: bytes wait for it in this process, and for `stallMs` (at most a twelfth more) the
 * operating system has accepted none of them. An answer for which nothing waits is its route's matter.
 */
export function createStalledAnswers({ stallMs }: { readonly stallMs: number }) {
  const answers = new Map<ServerResponse, Progress>()

  function look(): void {
    for (const [response, progress] of answers) {
      const left = bytesLeft(response)
      if (left === 0 || left !== progress.left) {
        progress.left = left
        progress.looks = 0
      } else if (++progress.looks >= looksPerStall) response.destroy()
    }
  }

  const timer = setInterval(look, stallMs / looksPerStall).unref()
  return {
    watch(response: ServerResponse): void {
      answers.set(response, { left: 0, looks: 0 })
      response.once('close', () => answers.delete(response))
    },
    stop: () => clearInterval(timer),
  }
}

/**
 * The socket's own count stays as it is until the whole of a write is done. What is left of a write is known to its handle,
 * which Node's socket timeout asks, too.
 */
function bytesLeft(response: ServerResponse): number {
  const socket = response.socket as (Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }) | null
  if (socket === null) return 0
  const waiting = response.writableLength + socket.writableLength
  return waiting === 0 ? 0 : waiting + (socket._handle?.writeQueueSize ?? 0)
}
