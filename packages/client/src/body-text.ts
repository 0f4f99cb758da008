import type { OpenResponse } from './http.ts'

/**
 * Decodes a body as it arrives. Throws if the server is silent for `silenceMs` or the connection breaks. Leaving the loop ends
 * the transfer.
 */
export async function* bodyText({ response, deadline }: OpenResponse, silenceMs: number): AsyncGenerator<string> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      deadline.extend(silenceMs)
      const { done, value } = await deadline.during(() => reader.read())
      // Time that the caller takes to process the text does not count as silence.
      deadline.stop()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    deadline.end()
  }
}
