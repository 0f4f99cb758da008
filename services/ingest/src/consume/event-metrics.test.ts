import { deadLetterReasons } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { createEventMetrics } from './event-metrics.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
let seconds = 0
const clock = () => new Date(start + seconds * 1_000)

function createMetrics() {
  const registry = new Registry()
  const metrics = createEventMetrics(
    registry,
    clock,
    new Map([
      ['mentions', 'mention'],
      ['receipts', 'receipt'],
    ]),
  )
  /** Returns the samples of a metric as `{label="value",…} value`. */
  const samples = async (name: string) =>
    (await registry.getSingleMetricAsString(name))
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => line.slice(name.length))
  return { metrics, samples }
}

test('initializes counters at 0 for every code, topic and outcome, so that the first event is an increase', async () => {
  const { metrics, samples } = createMetrics()
  const codes = Object.keys(deadLetterReasons)
  expect(await samples('herald_dead_letters_total')).toEqual(codes.map((code) => `{code="${code}"} 0`))
  expect(await samples('herald_chunk_retries_total')).toEqual(['{topic="mentions"} 0', '{topic="receipts"} 0'])
  expect(await samples('herald_events_total')).toHaveLength(6)
  metrics.observeDeadLetters('unmatched_receipt', 3)
  expect(await samples('herald_dead_letters_total')).toContain('{code="unmatched_receipt"} 3')
})

test('reports a stuck partition among others, and none while the broker is unavailable', async () => {
  const { metrics, samples } = createMetrics()
  let isAway = false
  const stuckSince = new Date(start)
  metrics.showPartitions({
    lags: () => (isAway ? [] : [0, 1].map((partition) => ({ topic: 'mentions', partition, lag: 5 }))),
    stuckSince: (_, partition) => (partition === 1 ? stuckSince : undefined),
  })
  seconds = 400
  const name = 'herald_partition_seconds_since_progress'
  const of = (partition: number, value: number) => `{topic="mentions",partition="${partition}"} ${value}`
  expect(await samples(name)).toEqual([of(0, 0), of(1, 400)])
  isAway = true
  expect(await samples(name)).toEqual([])
})
