import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createErasureIndex } from './erasure-index.ts'

const line = (leafIndex: number, leafIndexes: unknown) => ({
  leafIndex,
  erasure: { eventId: '00000000-0000-7000-8000-000000000001', time: '2026-01-01T00:00:00Z', leafIndexes },
})

test('finds the first erasure that names a leaf', () => {
  const ranges = fc
    .uniqueArray(fc.nat(30), { minLength: 2, maxLength: 8 })
    .map((bounds) => bounds.toSorted((a, b) => a - b))
    .map((bounds) => bounds.flatMap((to, i) => (i % 2 === 1 ? [[bounds[i - 1] as number, to] as const] : [])))
  fc.assert(
    fc.property(fc.array(ranges), (erasures) => {
      const index = createErasureIndex()
      for (const [i, leafIndexes] of erasures.entries()) index.add(line(100 + i, leafIndexes))
      for (let leaf = 0; leaf < 32; leaf++) {
        const expected = erasures.findIndex((named) => named.some(([from, to]) => from <= leaf && leaf < to))
        expect(index.find(leaf)?.leafIndex).toBe(expected < 0 ? undefined : 100 + expected)
      }
    }),
  )
})

test.each([
  [
    'touching ranges',
    [
      [1, 2],
      [2, 3],
    ],
  ],
  [
    'descending ranges',
    [
      [5, 6],
      [1, 2],
    ],
  ],
  ['an empty range', [[1, 1]]],
  ['a leaf behind it', [[99, 102]]],
  ['a range with three numbers', [[1, 2, 3]]],
  ['a fraction', [[0.5, 2]]],
  ['no ranges', 'all'],
])('an erasure with %s names nothing', (_, leafIndexes) => {
  const index = createErasureIndex()
  index.add(line(100, leafIndexes))
  expect([1, 5, 99, 101].map((leaf) => index.find(leaf))).toEqual([undefined, undefined, undefined, undefined])
})

test('a hundred thousand erasures of one entry each, and one of all, are searched for each entry', () => {
  const count = 100_000
  const index = createErasureIndex()
  for (let i = 0; i < count; i++) index.add(line(2 * count + i, [[2 * i, 2 * i + 1]]))
  index.add(line(4 * count, [[0, 2 * count]]))
  for (let leaf = 0; leaf < 2 * count; leaf++) {
    const expected = leaf % 2 === 0 ? 2 * count + leaf / 2 : 4 * count
    if (index.find(leaf)?.leafIndex !== expected) throw new Error(`${leaf} belongs to ${expected}`)
  }
  expect(index.find(2 * count)).toBeUndefined()
})
