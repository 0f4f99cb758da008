import type { TopicKind } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { chunksOf } from './chunks.ts'

const records = (...sizes: readonly number[]) => sizes.map((size) => ({ value: new Uint8Array(size) }))
const sizesOf = (all: ReturnType<typeof records>, kind: TopicKind = 'change') =>
  [...chunksOf(all, kind)].map((chunk) => chunk.length)

test('1,000 records are a chunk, however small', () => {
  expect(sizesOf(records(...Array(2_201).fill(10)))).toEqual([1_000, 1_000, 201])
})

test('512 KiB are a chunk; what is larger is one of its own', () => {
  const kib = 1_024
  expect(sizesOf(records(300 * kib, 212 * kib, 1))).toEqual([2, 1])
  expect(sizesOf(records(1, 1_024 * kib, 1))).toEqual([1, 1, 1])
  expect(sizesOf(records(1_024 * kib, 1))).toEqual([1, 1])
})

test('nothing is no chunk, a record without a value is one', () => {
  expect(sizesOf([])).toEqual([])
  expect([...chunksOf([{ value: null }], 'change')]).toEqual([[{ value: null }]])
})

test('no record is left out or comes twice', () => {
  const all = records(...Array.from({ length: 700 }, (_, n) => (n * 7_919) % 200_000))
  expect([...chunksOf(all, 'mention')].flat()).toEqual(all)
})

test('250 receipts are a chunk: each is an update of its own', () => {
  expect(sizesOf(records(...Array(600).fill(300)), 'receipt')).toEqual([250, 250, 100])
})

test('mentions with thousands of recipients are no more than some 4,000 documents a chunk', () => {
  const manyRecipients = 1_900 * 39 + 700
  expect(sizesOf(records(...Array(4).fill(manyRecipients)), 'mention')).toEqual([2, 2])
  expect(sizesOf(records(700, 10_000 * 39, 700), 'mention')).toEqual([1, 1, 1])
  expect(sizesOf(records(...Array(700).fill(700)), 'mention')).toEqual([700])
})
