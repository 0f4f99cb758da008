import { encode, encodeDocuments, type WriteDocument } from './byte-writer.ts'

/** Documents as bytes; `next` is the id at which the next page starts, exclusive, `null` on the last page. */
export type Page = { readonly documents: readonly Buffer[]; readonly next: string | null }

/** Creates a function that returns the body of a response with a page, under the given name. */
export function createPageEncoder(name: string, write: WriteDocument): (page: Page) => Buffer {
  const surroundings = { opening: encode(`{"data":{"${name}":[`), between: encode(',') } as const
  return ({ documents, next }) => {
    const closing = encode(`],"nextCursor":${JSON.stringify(next)}}}`)
    return encodeDocuments(documents, write, { ...surroundings, closing })
  }
}
