import { expect, test } from '@jest/globals'
import { splitBySize } from './split-by-size.ts'

const split = (sizes: readonly number[]) => [...splitBySize(sizes, 10, (size) => size)]

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
  [[11], [[11]]],
  [
    [1, 50, 1],
    [[1], [50], [1]],
  ],
])('%j', (sizes, groups) => {
  expect(split(sizes)).toEqual(groups)
})
