import { expect, test } from '@jest/globals'
import { judgedValues, resultOf } from '../figure.ts'
import { type History, withRun } from './history.ts'
import { performanceText } from './performance-text.ts'
import { partResults } from './saved-results.ts'

const setup = {
  commit: 'abc',
  product: '1',
  bench: '2',
  kafka: '4.1.0',
  mongodb: '6.0.5',
  node: 'v24.0.0',
  options: {},
}
const figuresOf = (ratio: number) => [
  resultOf({
    what: 'change events stored',
    unit: 'documents/s',
    measured: [100 * ratio],
    beside: { name: 'kafkajs and insertMany', measured: [100] },
    goal: { atLeast: 1 },
  }),
]

test('what has a goal is the median of the saved runs, not of the last one', () => {
  const runs = [0.9, 0.75, 0.5].map(figuresOf)
  const history = runs.reduce(
    (before: History, figures) => withRun(before, figures.flatMap(judgedValues), '2026-11-10'),
    {},
  )
  const last = runs.at(-1) ?? []
  const text = performanceText({ setup, parts: { ingest: partResults(last, 5, '3') }, history })
  expect(text).toContain('Change entries are stored at 0.75 of the rate of a bare program')
})
