import { expect, test } from '@jest/globals'
import { createListWindow } from './list-window.ts'

const ids = Array.from({ length: 5_000 }, (_, index) => String(index))

test('renders a short list whole', () => {
  const range = createListWindow().range(ids.slice(0, 60), { top: 2_000, height: 600 })
  expect(range).toEqual({ start: 0, end: 60, above: 0, below: 0 })
})

test('renders what is visible and a margin; the rest keeps its height', () => {
  const list = createListWindow()
  list.measure(new Map([['0', 100]]))
  const range = list.range(ids, { top: 250_000, height: 640 })
  expect(range.start * 100).toBeLessThanOrEqual(250_000 - 600)
  expect(range.end * 100).toBeGreaterThanOrEqual(250_000 + 640 + 600)
  expect(range.end - range.start).toBeLessThanOrEqual(40)
  expect(range.above + (range.end - range.start) * 100 + range.below).toBe(500_000)
})

test('scrolling by less than an item seldom changes the range', () => {
  const list = createListWindow()
  const starts = Array.from(
    { length: 100 },
    (_, index) => list.range(ids, { top: 9_200 + index * 10, height: 640 }).start,
  )
  expect(new Set(starts).size).toBeLessThanOrEqual(3)
})

test('takes items that were not measured to be as high as the first ones on average', () => {
  const list = createListWindow()
  list.measure(
    new Map([
      ['0', 60],
      ['1', 100],
    ]),
  )
  expect(list.offsetOf(ids, 2)).toBe(160)
  expect(list.offsetOf(ids, 4)).toBe(320)
  list.measure(new Map([['1', 140]]))
  expect(list.offsetOf(ids, 4)).toBe(360)
})

test('renders the beginning of a list that became shorter than what was scrolled past', () => {
  const range = createListWindow().range(ids.slice(0, 100), { top: 400_000, height: 640 })
  expect(range).toEqual({ start: 0, end: 60, above: 0, below: 0 })
})
