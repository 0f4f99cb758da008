/** A page and the cursor of the next one. */
type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null }

/** Yields the items of all pages; a page is fetched after the previous one was consumed. */
export async function* pages<T>(
  start: string | undefined,
  read: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | null | undefined = start
  while (cursor !== null) {
    const page = await read(cursor)
    yield* page.items
    cursor = page.nextCursor
  }
}
