import { expect, test } from '@jest/globals'
import { inBatches } from './batches.ts'

const split = (sizes: readonly number[]) => [...inBatches(sizes, 3, { bytes: 10, sizeOf: (size) => size })]

test.each([
  [[], []],
  [[1], [[1]]],
  [
    [4, 6, 1],
    [[4, 6], [1]],
  ],
  [
    [4, 7, 3],
    [[4], [7, 3]],
  ],
  [
    [1, 2, 3, 4],
    [[1, 2, 3], [4]],
  ],
  [[11], [[11]]],
  [
    [1, 50, 1],
    [[1], [50], [1]],
  ],
])('%j', (sizes, groups) => {
  expect(split(sizes)).toEqual(groups)
})
