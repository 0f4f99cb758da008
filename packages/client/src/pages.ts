/** A page, and what to ask for to get the next one. */
type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null }

/** The items of one page after the other, each asked for when the one before was taken. */
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
