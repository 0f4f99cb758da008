import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createLateness } from './lateness.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const present = Date.UTC(2026, 0, 1)
const secondsAgo = (seconds: number) => `82${(present / 1_000 - seconds).toString(16)}00000001`
let behindMs = 0
const createTestLateness = (isResumed: boolean, lateMs: number) =>
  createLateness({ isResumed, lateMs, now: () => present, behindMs: () => behindMs })

test('is late if it was stored long before', () => {
  const isLate = createTestLateness(false, 2_000)
  expect([0, 1, 2, 3, 0].map((seconds) => isLate(secondsAgo(seconds)))).toEqual([false, false, true, true, false])
})

test('is late if a later change was heard of long before, as after MongoDB’s clock was set back', () => {
  const isLate = createTestLateness(false, 2_000)
  behindMs = 2_001
  expect(isLate(secondsAgo(-7_200))).toBe(true)
  behindMs = 0
  expect(isLate(secondsAgo(-7_200))).toBe(false)
})

test('whatever follows a reopening or a silence is late for a while', () => {
  const isLate = createTestLateness(false, 100)
  const resumed = createTestLateness(true, 100)
  expect([isLate(secondsAgo(0)), resumed(secondsAgo(0)), resumed(secondsAgo(0))]).toEqual([false, true, true])
  jest.advanceTimersByTime(150)
  expect([isLate(secondsAgo(0)), isLate(secondsAgo(0))]).toEqual([true, true])
  for (let n = 0; n < 30; n++) {
    jest.advanceTimersByTime(5)
    isLate(secondsAgo(0))
  }
  expect(isLate(secondsAgo(0))).toBe(false)
})
