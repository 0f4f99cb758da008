import type { ServerResponse } from 'node:http'

/**
 * The same pieces; the response is destroyed when nobody has asked for the next one for `stallMs` milliseconds.
 *
 * The socket's own timeout is no measure of it: it starts over once when what waits has changed since the last write,
 * so that it comes after one to two times its length.
 */
export async function* cutWhenStalled<T>(pieces: AsyncIterable<T>, response: ServerResponse, stallMs: number) {
  const timer = setTimeout(() => {
    // When nothing waits to be taken it is the storage that takes its time, and that has limits of its own.
    if (response.writableLength === 0 && !response.destroyed) timer.refresh()
    else response.destroy()
  }, stallMs)
  // Not when the pieces end: a reader may stop at the last ones as well.
  response.on('close', () => clearTimeout(timer))
  for await (const piece of pieces) {
    timer.refresh()
    yield piece
  }
}
