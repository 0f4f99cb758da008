import type { TopicKind } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { chunksOf } from './chunks.ts'

const records = (...sizes: readonly number[]) => sizes.map((size) => ({ value: new Uint8Array(size) }))
const sizesOf = (all: ReturnType<typeof records>, kind: TopicKind = 'change') =>
  [...chunksOf(all, kind)].map((chunk) => chunk.length)

test('limits a chunk to 1,000 records', () => {
  expect(sizesOf(records(...Array(2_201).fill(10)))).toEqual([1_000, 1_000, 201])
})

test('limits a chunk to 512 KiB, or one larger record', () => {
  const kib = 1_024
  expect(sizesOf(records(300 * kib, 212 * kib, 1))).toEqual([2, 1])
  expect(sizesOf(records(1, 1_024 * kib, 1))).toEqual([1, 1, 1])
  expect(sizesOf(records(1_024 * kib, 1))).toEqual([1, 1])
})

test('yields no chunk without records, and one for a record without a value', () => {
  expect(sizesOf([])).toEqual([])
  expect([...chunksOf([{ value: null }], 'change')]).toEqual([[{ value: null }]])
})

test('yields each record exactly once', () => {
  const all = records(...Array.from({ length: 700 }, (_, n) => (n * 7_919) % 200_000))
  expect([...chunksOf(all, 'mention')].flat()).toEqual(all)
})

test('limits a chunk to 250 receipts, since each is an update', () => {
  expect(sizesOf(records(...Array(600).fill(300)), 'receipt')).toEqual([250, 250, 100])
})

test('limits mentions with thousands of recipients to about 4,000 documents per chunk', () => {
  const manyRecipients = 1_900 * 39 + 700
  expect(sizesOf(records(...Array(4).fill(manyRecipients)), 'mention')).toEqual([2, 2])
  expect(sizesOf(records(700, 10_000 * 39, 700), 'mention')).toEqual([1, 1, 1])
  expect(sizesOf(records(...Array(700).fill(700)), 'mention')).toEqual([700])
})
