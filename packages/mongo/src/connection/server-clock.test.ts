import { EventEmitter } from 'node:events'
import { afterEach, expect, jest, test } from '@jest/globals'
import type { MongoClient } from 'mongodb'
import { createServerClock } from './server-clock.ts'

const hourMs = 60 * 60 * 1_000
afterEach(() => {
  jest.useRealTimers()
})

function start() {
  jest.useFakeTimers({ now: 0 })
  const client = new EventEmitter()
  const now = createServerClock(client as MongoClient)
  return {
    now: () => now().getTime(),
    /** A heartbeat from a server whose clock is ahead, and which was read some time after it was sent. */
    hear(aheadMs: number, readAfterMs = 0, isWritablePrimary = true) {
      const localTime = new Date(Date.now() + aheadMs)
      jest.advanceTimersByTime(readAfterMs)
      client.emit('serverHeartbeatSucceeded', { reply: { isWritablePrimary, localTime } })
    },
    pass: (ms: number) => jest.advanceTimersByTime(ms),
  }
}

test('is the time of this process until the first heartbeat of the primary, then that of the primary', () => {
  const { now, hear, pass } = start()
  hear(hourMs, 0, false)
  expect(now()).toBe(0)
  hear(-hourMs)
  expect(now()).toBe(-hourMs)
  pass(10_000)
  expect(now()).toBe(10_000 - hourMs)
})

test('a heartbeat that was read late does not count, and none does that waited for the process to wake up', () => {
  const { now, hear, pass } = start()
  hear(5_000)
  pass(10_000)
  hear(5_000, 3_000)
  expect(now()).toBe(13_000 + 5_000)
  hear(5_000, hourMs)
  expect(now()).toBe(13_000 + hourMs + 5_000)
})

test('follows the clock of the primary', () => {
  const { now, hear, pass } = start()
  for (let beat = 0; beat < 4; beat++) {
    hear(beat < 1 ? hourMs : 0)
    pass(10_000)
  }
  expect(now()).toBe(40_000)
})

test('does not change with a step of the local clock', () => {
  const { now, hear, pass } = start()
  hear(0)
  jest.setSystemTime(hourMs)
  expect(now()).toBe(0)
  pass(10_000)
  hear(-hourMs)
  expect(now()).toBe(10_000)
})
