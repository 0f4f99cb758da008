import { quantile } from '../measure.ts'

export type Distribution = { readonly p50: number; readonly p99: number; readonly p999: number }

export type Quantile = keyof Distribution
export const quantiles: Readonly<Record<Quantile, string>> = { p50: 'p50', p99: 'p99', p999: 'p99.9' }
export const quantileNames = Object.keys(quantiles) as Quantile[]

export function distributionOf(milliseconds: readonly number[]): Distribution {
  return { p50: quantile(milliseconds, 0.5), p99: quantile(milliseconds, 0.99), p999: quantile(milliseconds, 0.999) }
}

export const showDistribution = ({ p50, p99, p999 }: Distribution) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, p99.9 ${p999.toFixed(1)} ms`
