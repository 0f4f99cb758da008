import { expect, test } from '@jest/globals'
import { resultOf } from '../figure.ts'
import { drawPictures } from './pictures.ts'
import { resultTable } from './result-table.ts'

const point = (x: number, y: number, goal?: { atMost: number }, quantile = 'p99') =>
  resultOf({
    what: `page at ${x} %`,
    unit: 'ms',
    measured: [y],
    point: { picture: 'knee', line: `page, ${quantile}`, x },
    ...(goal && { goal }),
  })
const figures = [point(20, 1), point(80, 10, { atMost: 100 }), point(100, 100)]

test('points are lines of their picture, ten times as high for ten times as long', () => {
  const { knee = '', backlog } = drawPictures({ knee: { figures } }, {})
  const [, points = ''] = /points="([^"]+)"/.exec(knee) ?? []
  const heights = points.split(' ').map((pair) => Number(pair.split(',')[1]))
  expect(heights).toHaveLength(3)
  expect(Number(heights[0]) - Number(heights[1])).toBeCloseTo(Number(heights[1]) - Number(heights[2]), 0)
  expect(backlog).toBeUndefined()
})

test('names of lines that end at the same height do not cover each other', () => {
  const alike = ['p50', 'p99', 'p99.9'].flatMap((quantile) => [
    point(20, 1, undefined, quantile),
    point(100, 1, undefined, quantile),
  ])
  const { knee = '' } = drawPictures({ knee: { figures: alike } }, {})
  const heights = [...knee.matchAll(/ y="([\d.]+)" style/g)].map(([, y]) => Number(y)).toSorted((a, b) => a - b)
  expect(heights).toHaveLength(3)
  for (const [index, y] of heights.slice(1).entries()) expect(y - (heights[index] as number)).toBeGreaterThanOrEqual(15)
})

test('the table has only the points with a goal', () => {
  const table = resultTable(figures, {})
  expect(table).toContain('page at 80 %')
  expect(table).not.toContain('page at 20 %')
})
