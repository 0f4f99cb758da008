/** The target of a figure. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** CPU time per operation in microseconds, one value per round and process. */
export type CpuTimes = Readonly<Partial<Record<'service' | 'mongod' | 'broker', readonly number[]>>>

/** A measured quantity. The goal applies to the ratio where there is a comparison, and to the measured values otherwise. */
export type Figure = {
  readonly what: string
  readonly unit: string
  /** One value per round. */
  readonly measured: readonly number[]
  readonly cpu?: CpuTimes
  /** The comparison measured in the same rounds: a ceiling, a peer, or the same quantity before. */
  readonly beside?: { readonly name: string; readonly measured: readonly number[]; readonly cpu?: CpuTimes }
  readonly goal?: Goal
  /** Applies to the ratio of the CPU times of the services. */
  readonly cpuGoal?: Goal
  /** A point of a line in one of the pictures, which is a row of the table only if it has a goal. */
  readonly point?: { readonly picture: string; readonly line: string; readonly x: number }
}

export type Spread = { readonly median: number; readonly least: number; readonly greatest: number }

/** A figure with its summary. */
export type Result = Figure & {
  readonly summary: Spread
  /** The ratios within each round, which other load on the machine affects least. */
  readonly ratio?: Spread
  /** The ratio of the CPU times of the services. */
  readonly cpuRatio?: Spread
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), greatest: Math.max(...values) }
}

export function resultOf(figure: Figure): Result {
  const { measured, cpu, beside } = figure
  return {
    ...figure,
    summary: spreadOf(measured),
    ...(beside && { ratio: spreadOf(ratios(measured, beside.measured)) }),
    ...(cpu?.service && beside?.cpu?.service && { cpuRatio: spreadOf(ratios(cpu.service, beside.cpu.service)) }),
  }
}

function ratios(measured: readonly number[], beside: readonly number[]): number[] {
  return measured.map((value, round) => value / (beside[round] ?? Number.NaN))
}

export type Judged = {
  /** Identifies the figure across runs. */
  readonly name: string
  readonly value: number
  readonly goal: Goal
}

/** The values of a result that have a goal. */
export function judgedValues({ what, beside, goal, cpuGoal, summary, ratio, cpuRatio }: Result): Judged[] {
  const name = beside ? `${what} ÷ ${beside.name}` : what
  return [
    ...(goal ? [{ name, value: (ratio ?? summary).median, goal }] : []),
    ...(cpuGoal && cpuRatio ? [{ name: `${name}, CPU time`, value: cpuRatio.median, goal: cpuGoal }] : []),
  ]
}

export function isMet(goal: Goal, value: number): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
