import type { BenchContext } from './part.ts'

/** The rounds of {@link alternate}, those before the measured ones included. */
export const allRounds = ({ rounds, smoke }: Pick<BenchContext, 'rounds' | 'smoke'>) => (smoke ? rounds : rounds + 1)

/**
 * Measures contestants in turn, and returns each one's measurements in order. One round before them does not count, if their
 * processes live on: V8 has not compiled anything yet, and the first turns would pay for it. A smoke test has no such round.
 */
export async function alternate<Name extends string, T>(
  context: Pick<BenchContext, 'rounds' | 'smoke' | 'log'>,
  contestants: Readonly<Record<Name, () => Promise<T>>>,
  show: (measured: T) => string,
  { warmUp = true }: { readonly warmUp?: boolean } = {},
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contestants) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>
  const { rounds, log } = context
  const first = warmUp ? rounds - allRounds(context) + 1 : 1
  for (let round = first; round <= rounds; round++) {
    for (const name of orderOf(names, round)) {
      const result = await contestants[name]()
      if (round > 0) measured[name].push(result)
      log(`${round > 0 ? `round ${round} of ${rounds}` : 'warm-up'}, ${name}: ${show(result)}`)
    }
  }
  return measured
}

/** Every other round goes backwards, and each starts with another one, so that none always comes after the same one. */
function orderOf<Name>(names: readonly Name[], round: number): Name[] {
  const order = round % 2 === 0 ? names : names.toReversed()
  // Two only swap: started with another one too, each round would be like the one before.
  const start = names.length === 2 ? 0 : round % names.length
  return [...order.slice(start), ...order.slice(0, start)]
}
