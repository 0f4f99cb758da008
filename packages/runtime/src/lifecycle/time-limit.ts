/** Result of {@link withTimeLimit} after a timeout. */
export const timedOut = Symbol('timed out')

/** Resolves to `timedOut` if `work` does not settle in time. Does not cancel it. */
export async function withTimeLimit<Value>(work: Promise<Value>, limitMs: number): Promise<Value | typeof timedOut> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(resolve, limitMs, timedOut)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
