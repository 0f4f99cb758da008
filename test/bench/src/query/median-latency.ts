import { median } from '../figure.ts'

export type SendRequest = (index: number) => Promise<Response>

/** Median latency in milliseconds of sequential requests. */
export async function medianOf(indexes: readonly number[], send: SendRequest): Promise<number> {
  const times: number[] = []
  for (const index of indexes) {
    const begun = performance.now()
    const response = await send(index)
    await response.text()
    if (!response.ok) throw new Error(`A request returned ${response.status}`)
    times.push(performance.now() - begun)
  }
  return median(times)
}

export const showMilliseconds = (milliseconds: number) => `${milliseconds.toFixed(2)} ms`
