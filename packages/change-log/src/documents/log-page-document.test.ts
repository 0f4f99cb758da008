import { toIndexKey } from '@herald/mongo'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'

import { decodeBounds, decodeRanges, encodeRanges, isInRanges, toRanges } from './log-page-document.ts'

const anyIndexes = fc
  .uniqueArray(fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 2 ** 40 })))
  .map((indexes) => indexes.toSorted((one, other) => one - other))

test('ranges name exactly the indexes, do not touch, and survive their encoding', () => {
  fc.assert(
    fc.property(anyIndexes, (indexes) => {
      const ranges = toRanges(indexes)
      const named = ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, offset) => from + offset))
      expect(named).toEqual(indexes)
      for (const [at, [from]] of ranges.entries()) if (at > 0) expect(from).toBeGreaterThan(ranges[at - 1]?.[1] ?? 0)
      expect(decodeRanges(encodeRanges(ranges))).toEqual(ranges)
      const bounds = decodeBounds(encodeRanges(ranges))
      expect(Array.from(bounds)).toEqual(ranges.flat())
      const asked = [...indexes, ...indexes.map((index) => index + 1), ...indexes.map((index) => index - 1), 0]
      for (const index of asked) expect(isInRanges(bounds, index)).toBe(indexes.includes(index))
    }),
  )
})

test('a million leaves are looked up in a million ranges', () => {
  const bounds = Float64Array.from({ length: 2_000_000 }, (_, at) => at)
  let found = 0
  for (let index = 0; index < 1_000_000; index++) if (isInRanges(bounds, index)) found++
  expect(found).toBe(500_000)
})

test('keys of pages sort by their first index', () => {
  const key = (first: number) => toIndexKey('0190a6e0-7c1b-4def-8abc-000000000001', first).toString('hex')
  const keys = [0, 1, 255, 256, 2 ** 32, 2 ** 53 - 1].map(key)
  expect(keys.toSorted()).toEqual(keys)
})
