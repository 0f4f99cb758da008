import { pause } from '../until.ts'
import type { Answers } from './answers.ts'

export type Request = {
  readonly url: string
  readonly token: string
  readonly method?: 'PATCH'
  readonly body?: string
}

export type Pressure = {
  readonly atOnce: number
  /** Milliseconds from a refusal until the next request. */
  readonly afterRefusalMs: number
}

/** Sends so many requests at once, again and again, and reads the responses as fast as it can. @returns a function that ends it */
export function keepAsking(
  { atOnce, afterRefusalMs }: Pressure,
  next: (n: number) => Request,
  answers: Answers,
): () => Promise<void> {
  const stop = new AbortController()
  const askAgain = async (first: number) => {
    for (let n = first; !stop.signal.aborted; n += atOnce) {
      const isServed = await ask(next(n), stop.signal, answers)
      if (!isServed && !stop.signal.aborted) await pause(afterRefusalMs)
    }
  }
  const running = Array.from({ length: atOnce }, (_, n) => askAgain(n))
  return async () => {
    stop.abort()
    await Promise.all(running)
  }
}

async function ask({ url, token, method, body }: Request, signal: AbortSignal, answers: Answers): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      ...(body === undefined ? {} : { body }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal,
    })
    answers.add(response.status, response.headers.get('retry-after'))
    for await (const _ of response.body ?? []);
    return response.ok
  } catch {
    if (!signal.aborted) answers.addOther('cut')
    return false
  }
}
