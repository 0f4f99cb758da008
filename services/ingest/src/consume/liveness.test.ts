import { expect, test } from '@jest/globals'
import { checkConsumerLiveness, type LivenessDependencies } from './liveness.ts'

const now = 1_000_000
const stallMs = 180_000
const ago = (milliseconds: number) => new Date(now - milliseconds)
const long = ago(stallMs + 1)
const short = ago(stallMs - 1)

/** Checks a healthy consumer with one assigned partition and recent activity; `changes` overrides it. */
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

test('passes while partitions make progress', () => {
  expect(check()).toEqual({ ok: true })
})

test('fails after too long without any activity, whatever the broker reports', () => {
  expect(check({ lastSignOfLife: () => long, lags: () => [] })).toEqual({
    ok: false,
    detail: `The consumer has been inactive since ${long.toISOString()}`,
  })
  expect(check({ lastSignOfLife: () => short })).toEqual({ ok: true })
})

test('fails when an assigned partition with records makes no progress for too long', () => {
  expect(check({ stuckSince: () => long })).toEqual({
    ok: false,
    detail: `mention-events/1 has made no progress since ${long.toISOString()}, 7 records are waiting`,
  })
})

test.each<[string, Partial<LivenessDependencies>]>([
  ['for a short time only', { stuckSince: () => short }],
  ['without work', { lags: () => [{ topic: 'mention-events', partition: 1, lag: 0 }] }],
  ['while assigned to another member of the group', { isAssigned: () => false }],
  ['because a dependency is unavailable', { lastHeldBack: () => short }],
  ['while the broker is unavailable', { lags: () => [] }],
])('passes for a partition without progress %s', (_, changes) => {
  expect(check({ stuckSince: () => long, ...changes })).toEqual({ ok: true })
})

test('fails for a partition that was last held back long ago', () => {
  expect(check({ stuckSince: () => long, lastHeldBack: () => long }).ok).toBe(false)
})

test('checks every partition', () => {
  const lags = [0, 1, 2].map((partition) => ({ topic: 'change-events', partition, lag: 1 }))
  const outcome = check({
    lags: () => lags,
    stuckSince: (_, partition) => (partition === 2 ? long : undefined),
  })
  expect(outcome).toMatchObject({ ok: false, detail: expect.stringContaining('change-events/2') })
})
