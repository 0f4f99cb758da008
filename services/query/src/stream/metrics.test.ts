import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { createStreamMetrics } from './metrics.ts'

test('every reason, purpose and outcome has a series from the start, so that its first event is an increase', async () => {
  const registry = new Registry()
  createStreamMetrics(registry)
  const lines = (await registry.metrics()).split('\n')
  expect(lines.filter((line) => /\{.*\} 0$/.test(line))).toEqual([
    'herald_streams_ended_total{reason="client"} 0',
    'herald_streams_ended_total{reason="expired"} 0',
    'herald_streams_ended_total{reason="too-slow"} 0',
    'herald_streams_ended_total{reason="closing"} 0',
    'herald_change_streams_total{purpose="live"} 0',
    'herald_change_streams_total{purpose="catch-up"} 0',
    'herald_stream_catch_ups_total{outcome="resumed"} 0',
    'herald_stream_catch_ups_total{outcome="reset"} 0',
  ])
})
