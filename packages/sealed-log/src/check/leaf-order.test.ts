import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createLeafOrder } from './leaf-order.ts'

function follow(indexes: readonly number[], size: number) {
  const order = createLeafOrder()
  const places = indexes.map((index, i) => order.place(index, indexes[i + 1]))
  const missing = [...order.missing(size)].flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, i) => from + i),
  )
  return { places, missing }
}

const size = 40
const indexes = fc.array(fc.nat(size - 1), { maxLength: 2 * size })
const all = Array.from({ length: size }, (_, i) => i)

test('finds what is missing and what is repeated, in any order', () => {
  fc.assert(
    fc.property(indexes, (given) => {
      const { places, missing } = follow(given, size)
      expect(missing.toSorted((a, b) => a - b)).toEqual(all.filter((index) => !given.includes(index)))
      expect(places.map((place) => place === 'repeated')).toEqual(given.map((index, i) => given.indexOf(index) < i))
    }),
    { numRuns: 2000 },
  )
})

test('disorder is at most one for each line', () => {
  fc.assert(
    fc.property(indexes, (given) => {
      const order = createLeafOrder()
      for (const [i, index] of given.entries()) order.place(index, given[i + 1])
      expect(order.disorder()).toBeLessThanOrEqual(given.length)
    }),
  )
})

const million = 1_000_000
const scattered = (i: number) => (i * 7_368_787) % million
// With work for each line that grows with their number, each of these would take hours.
test.each<readonly [string, (i: number) => number, size: number, missing: number]>([
  ['descending', (i) => million - 1 - i, million, 0],
  ['in pairs that were swapped', (i) => i ^ 1, million, 0],
  ['first the even ones, then the odd ones', (i) => (i < million / 2 ? 2 * i : 2 * i - million + 1), million, 0],
  ['scattered', scattered, million, 0],
  ['scattered, with gaps', (i) => 3 * scattered(i), 3 * million, 2 * million],
  ['far apart', (i) => i * 9_007_199_254, 0, 9_007_199_254 * (million - 1) - million + 1],
])('a million lines %s are placed', (_, indexAt, size, missing) => {
  const order = createLeafOrder()
  for (let i = 0; i < million; i++) order.place(indexAt(i), i + 1 < million ? indexAt(i + 1) : undefined)
  let count = 0
  for (const { from, to } of order.missing(size)) count += to - from
  expect(count).toBe(missing)
  expect(order.disorder()).toBeLessThanOrEqual(million)
})

test('lines in order are in turn, whichever are missing', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(size - 1)), (given) => {
      const { places } = follow(
        given.toSorted((a, b) => a - b),
        size,
      )
      expect(places.every((place) => place === 'next')).toBe(true)
    }),
  )
})

test('of two that were swapped, names these two only', () => {
  const { places, missing } = follow(all.with(5, 30).with(30, 5), size)
  expect(places.flatMap((place, i) => (place === 'next' ? [] : [[i, place]]))).toEqual([
    [5, 'early'],
    [30, 'late'],
  ])
  expect(missing).toEqual([])
})
