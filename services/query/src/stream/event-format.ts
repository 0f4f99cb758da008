/** An event of a stream (WHATWG HTML, 9.2): its name, its data as JSON, and the id to resume from. */
export type StreamEvent = { readonly event: string; readonly data: string; readonly id?: string | undefined }

const lineEnd = /\r\n|\r|\n/

/** Encodes an event with the empty line that ends it. */
export function encodeEvent({ event, data, id }: StreamEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  const dataLines = data
    .split(lineEnd)
    .map((line) => `data: ${line}\n`)
    .join('')
  return `${idLine}event: ${event}\n${dataLines}\n`
}

/** Encodes a comment, which parsers skip. */
export function encodeComment(text: string): string {
  return `: ${text}\n\n`
}

/** Encodes the time in milliseconds to wait before reconnecting. */
export function encodeRetry(milliseconds: number): string {
  return `retry: ${Math.round(milliseconds)}\n\n`
}
