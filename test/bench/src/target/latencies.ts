import { build } from 'hdr-histogram-js'

const percentiles = [50, 75, 90, 95, 99, 99.9] as const
const perMs = 1_000

/** Records latencies with two significant digits and returns their distribution in milliseconds. */
export function createLatencies() {
  const histogram = build({ highestTrackableValue: 600_000 * perMs, numberOfSignificantValueDigits: 2 })
  const inMs = (value: number) => Math.round(value / (perMs / 100)) / 100
  return {
    record(milliseconds: number) {
      histogram.recordValue(Math.max(1, Math.round(milliseconds * perMs)))
    },
    summary() {
      const values = percentiles.map((percent) => [`p${percent}`, inMs(histogram.getValueAtPercentile(percent))])
      return { count: histogram.totalCount, ...Object.fromEntries(values), max: inMs(histogram.maxValue) }
    },
  }
}
