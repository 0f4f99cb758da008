/** Asks for the next item while the one before it is used. */
export async function* readAhead<T>(items: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  const ask = () => {
    const asked = items.next()
    // Thrown where it is awaited, which may be later.
    asked.catch(() => {})
    return asked
  }
  let next = ask()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = ask()
      yield value
    }
  } finally {
    await items.return()
  }
}
