import { EventEmitter } from 'node:events'
import { afterEach, expect, jest, test } from '@jest/globals'
import { Timestamp } from 'mongodb'
import { createClusterTimes } from './cluster-times.ts'

const secondsAt = (seconds: number, order = 1) => new Timestamp({ t: seconds, i: order })
const positionAt = (seconds: number, order = 1) =>
  `82${[seconds, order].map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('')}2B04`
const base = 1_800_000_000
const hour = 3_600

afterEach(() => void jest.useRealTimers())

function start() {
  jest.useFakeTimers()
  const client = new EventEmitter()
  const times = createClusterTimes(client as never)
  return {
    behind: (position: string) => times.behindMs(position) / 1_000,
    hear(ts: Timestamp) {
      client.emit('serverHeartbeatSucceeded', { reply: { isWritablePrimary: true, lastWrite: { opTime: { ts } } } })
    },
    pass: (seconds: number) => jest.advanceTimersByTime(seconds * 1_000),
  }
}

test('a position is level with the write of its time, and behind a later one since that was heard', () => {
  const { behind, hear, pass } = start()
  expect(behind(positionAt(base))).toBe(0)
  hear(secondsAt(base))
  expect(behind(positionAt(base))).toBe(0)
  hear(secondsAt(base, 2))
  pass(30)
  hear(secondsAt(base, 9))
  expect([behind(positionAt(base)), behind(positionAt(base, 2)), behind(positionAt(base, 9))]).toEqual([30, 0, 0])
})

test('a position of before this process started is as far behind as the positions are apart', () => {
  const { behind, hear } = start()
  hear(secondsAt(base + hour))
  expect(behind(positionAt(base))).toBe(hour)
})

test('a stream that stands still is behind although the clock of the primary was set back for an hour', () => {
  const { behind, hear, pass } = start()
  hear(secondsAt(base + 2 * hour))
  // Cluster time goes on by its ordinal only, until the clock has reached it.
  for (let order = 2; order < 8; order++) {
    pass(10)
    hear(secondsAt(base + 2 * hour, order))
  }
  expect([behind(positionAt(base + 2 * hour)), behind(positionAt(base + 2 * hour, 7))]).toEqual([50, 0])
})
