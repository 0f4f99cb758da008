import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createLeafOrder } from './leaf-order.ts'

function follow(indexes: readonly number[], size: number) {
  const order = createLeafOrder()
  const places = indexes.map((index, i) => order.place(index, indexes[i + 1]))
  const missing = order.missing(size).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i))
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
