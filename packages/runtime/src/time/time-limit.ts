export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Settles with `work`, or rejects with `TimedOut` after `milliseconds`. Does not cancel the work. */
export async function within<Value>(milliseconds: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`No response within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
