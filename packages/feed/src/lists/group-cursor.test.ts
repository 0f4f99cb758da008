import { limits } from '@herald/contracts'
import { toKey } from '@herald/mongo'
import { uuid } from '@herald/mongo/testing'
import { expect, test } from '@jest/globals'
import { beginAt, readGroupCursor, toGroupCursor, wasReturned } from './group-cursor.ts'

/** The `n`th group, the greater the newer. */
const group = (n: number, latest = n) => ({ place: `comment ${n}`, latest: toKey(uuid(1), uuid(2), uuid(latest)) })
const groups = (from: number, to: number) => Array.from({ length: from - to }, (_, n) => group(from - n))
const start = beginAt(group(2_000))

test('says which groups were returned, of those that are newer than the last one only', () => {
  const cursor = readGroupCursor(toGroupCursor(start, group(91), groups(100, 90)))
  expect(cursor).toMatchObject({ newest: uuid(2_000), last: uuid(91) })
  expect(groups(100, 90).every((one) => wasReturned(cursor, one))).toBe(true)
  expect(groups(90, 0).some((one) => wasReturned(cursor, { ...one, latest: group(95).latest }))).toBe(false)
  expect(wasReturned(cursor, group(95, 90))).toBe(false)
})

test('goes on from the oldest that was returned, even if a page ends with a newer one', () => {
  const first = readGroupCursor(toGroupCursor(start, group(91), groups(100, 90)))
  const second = readGroupCursor(toGroupCursor(first, group(50, 95), [...groups(100, 90), group(50, 95)]))
  expect(second.last).toBe(uuid(91))
  for (const one of [...groups(100, 90), group(50, 95)]) expect(wasReturned(second, one)).toBe(true)
})

test('remembers a group without notifications, if there is room for it', () => {
  const first = readGroupCursor(toGroupCursor(start, group(91), groups(100, 90)))
  const second = readGroupCursor(toGroupCursor(first, group(81), groups(90, 80)))
  expect(groups(100, 80).every((one) => wasReturned(second, one))).toBe(true)
  const third = readGroupCursor(toGroupCursor(second, group(1), groups(1_089, 90)))
  expect(third.returned?.hashes.size).toBe(1_000)
  expect(groups(1_089, 90).every((one) => wasReturned(third, one))).toBe(true)
})

test('has room for as many groups as there can be, each page further with fewer bits', () => {
  let cursor = start
  const widths = new Set<number>()
  for (let n = 1_000; n > 0; n -= 50) {
    const text = toGroupCursor(cursor, group(n - 49), groups(1_000, n - 50))
    expect(text).toMatch(/^[\w-]{43}[4-6][\w-]*$/)
    expect(text.length).toBeLessThanOrEqual(limits.groupCursorCharacters)
    cursor = readGroupCursor(text)
    widths.add(cursor.returned?.width ?? 0)
    expect(groups(1_000, n - 50).every((one) => wasReturned(cursor, one))).toBe(true)
  }
  expect([...widths]).toEqual([6, 5, 4])
})

test('a cursor without groups says that all down to its last one were returned', () => {
  const cursor = readGroupCursor(toGroupCursor(start, group(91), []).slice(0, 43))
  expect(cursor.returned).toBeUndefined()
  expect([wasReturned(cursor, group(91)), wasReturned(cursor, group(90))]).toEqual([true, false])
  const next = readGroupCursor(toGroupCursor(cursor, group(81), groups(100, 80)))
  expect(groups(100, 80).every((one) => wasReturned(next, one))).toBe(true)
  expect(wasReturned(next, group(70, 95))).toBe(false)
})
