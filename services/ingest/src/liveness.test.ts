import { expect, test } from '@jest/globals'
import { checkConsumerLiveness, type LivenessDependencies } from './liveness.ts'

const now = 1_000_000
const stallMs = 180_000
const ago = (milliseconds: number) => new Date(now - milliseconds)
const long = ago(stallMs + 1)
const short = ago(stallMs - 1)

/** A consumer that is well: one partition is its own, waits for work, and something was done just now. */
function check(changes: Partial<LivenessDependencies> = {}) {
  return checkConsumerLiveness({
    clock: () => new Date(now),
    stallMs,
    lags: () => [{ topic: 'mention-events', partition: 1, lag: 7 }],
    stuckSince: () => undefined,
    isAssigned: () => true,
    lastHeldBack: () => undefined,
    lastSignOfLife: () => ago(0),
    ...changes,
  })
}

test('a consumer whose partitions move is alive', () => {
  expect(check()).toEqual({ ok: true })
})

test('one that has done nothing at all for too long is not, whatever the broker says', () => {
  expect(check({ lastSignOfLife: () => long, lags: () => [] })).toEqual({
    ok: false,
    detail: `The consumer has done nothing since ${long.toISOString()}`,
  })
  expect(check({ lastSignOfLife: () => short })).toEqual({ ok: true })
})

test('one whose partition stands still for too long, though there is work, is not', () => {
  expect(check({ stuckSince: () => long })).toEqual({
    ok: false,
    detail: `mention-events/1 has stood still since ${long.toISOString()}, 7 records wait`,
  })
})

test.each<[string, Partial<LivenessDependencies>]>([
  ['for a short time only', { stuckSince: () => short }],
  ['without work', { lags: () => [{ topic: 'mention-events', partition: 1, lag: 0 }] }],
  ['at another member of the group', { isAssigned: () => false }],
  ['because a dependency is away', { lastHeldBack: () => short }],
  ['and no broker can be asked', { lags: () => [] }],
])('a partition that stands still %s is no reason', (_, changes) => {
  expect(check({ stuckSince: () => long, ...changes })).toEqual({ ok: true })
})

test('one that was held back long ago is, as the dependency is there again', () => {
  expect(check({ stuckSince: () => long, lastHeldBack: () => long }).ok).toBe(false)
})

test('every partition is looked at', () => {
  const lags = [0, 1, 2].map((partition) => ({ topic: 'change-events', partition, lag: 1 }))
  const outcome = check({
    lags: () => lags,
    stuckSince: (_, partition) => (partition === 2 ? long : undefined),
  })
  expect(outcome).toMatchObject({ ok: false, detail: expect.stringContaining('change-events/2') })
})
