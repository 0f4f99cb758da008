/** The target of a figure. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** A measured quantity. The goal applies to the ratio where there is a comparison, and to the measured values otherwise. */
export type Figure = {
  readonly what: string
  readonly unit: string
  /** One value per round. */
  readonly measured: readonly number[]
  /** The comparison measured in the same rounds: a ceiling, a peer, or the same quantity before. */
  readonly beside?: { readonly name: string; readonly measured: readonly number[] }
  readonly goal?: Goal
}

/** A figure with its summary. */
export type Result = Figure & {
  readonly median: number
  readonly least: number
  readonly greatest: number
  readonly besideMedian?: number
  /** The median of the ratios within each round, which other load on the machine affects least. */
  readonly ratio?: number
  readonly met?: boolean
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

export function resultOf(figure: Figure): Result {
  const { measured, beside, goal } = figure
  const summary = { median: median(measured), least: Math.min(...measured), greatest: Math.max(...measured) }
  const ratios = beside && measured.map((value, round) => value / (beside.measured[round] ?? Number.NaN))
  const judged = ratios ? median(ratios) : summary.median
  return {
    ...figure,
    ...summary,
    ...(beside && ratios ? { besideMedian: median(beside.measured), ratio: median(ratios) } : {}),
    ...(goal ? { met: 'atLeast' in goal ? judged >= goal.atLeast : judged <= goal.atMost } : {}),
  }
}
