import { expect, test } from '@jest/globals'
import { judgedValues, resultOf } from '../figure.ts'
import { type History, medianOfRuns, verdictOf, withRun } from './history.ts'
import { resultTable } from './result-table.ts'

const figure = (rate: number) =>
  resultOf({
    what: 'page',
    unit: 'requests/s',
    measured: [rate, 2 * rate, 3 * rate],
    cpu: { service: [200, 300, 400], mongod: [50, 60, 70] },
    beside: { name: 'copy', measured: [100, 100, 100], cpu: { service: [100, 100, 100] } },
    goal: { atLeast: 2 },
    cpuGoal: { atMost: 3 },
  })

const afterRuns = (rates: readonly number[]) =>
  rates.reduce(
    (history: History, rate, index) => withRun(history, judgedValues(figure(rate)), `2026-11-${10 + index}`),
    {},
  )

test('quotes the spread of the ratios within the rounds, not of the rates', () => {
  const { ratio, cpuRatio } = figure(50)
  expect(ratio).toEqual({ median: 1, least: 0.5, greatest: 1.5 })
  expect(cpuRatio).toEqual({ median: 3, least: 2, greatest: 4 })
})

test('a goal missed twice is not met by a third run', () => {
  const history = afterRuns([50, 60, 200])
  expect(medianOfRuns(history, 'page ÷ copy')).toBe(1.2)
  expect(verdictOf(history, 'page ÷ copy', { atLeast: 2 })).toBe('not met')
  expect(resultTable([figure(200)], history)).toContain('≥ 2: **missed** (1.20)')
  expect(resultTable([figure(200)], history)).toContain('CPU ≤ 3: met')
})

test('a goal is undecided before the third run', () => {
  const history = afterRuns([200, 200])
  expect(verdictOf(history, 'page ÷ copy', { atLeast: 2 })).toBe('undecided')
  expect(resultTable([figure(200)], history)).toContain('≥ 2: 2 of 3 runs (4.00)')
})

test('keeps the last five runs', () => {
  const history = afterRuns([1, 2, 3, 4, 5, 6, 7])
  expect(history['page ÷ copy']?.map(({ date }) => date.slice(-2))).toEqual(['12', '13', '14', '15', '16'])
})
