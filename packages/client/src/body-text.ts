import type { OpenAnswer } from './http.ts'

/**
 * The text of a body as it comes. When nothing comes for so long, or the connection breaks, it throws; who takes no more ends
 * the transfer.
 */
export async function* bodyText({ response, deadline }: OpenAnswer, silenceMs: number): AsyncGenerator<string> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      deadline.extend(silenceMs)
      const { done, value } = await deadline.during(() => reader.read())
      // While the caller is busy with what came, the server is not silent.
      deadline.stop()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    deadline.end()
  }
}
