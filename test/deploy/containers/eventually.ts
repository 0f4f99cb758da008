import { eventually as poll } from '@herald/test-servers'

/** Waits until `probe` neither throws nor returns `false`, and returns its result. Containers take minutes to start. */
export async function eventually<T>(description: string, probe: () => Promise<T>, within = 120_000): Promise<T> {
  const answer = async () => {
    const found = await probe()
    return found !== false && { found }
  }
  return (await poll(answer, { description, within, every: 200 })).found
}
