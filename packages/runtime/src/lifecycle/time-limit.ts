/** That something did not settle within its time. */
export const timedOut = Symbol('timed out')

/** Waits for something, but not for ever: resolves to `timedOut` after the limit. What it waits for goes on. */
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
