import { expect, test } from '@jest/globals'
import { createDeadlines, DeadlineExceeded } from './deadlines.ts'

const clock = () => new Date('2026-02-01T00:00:00Z')
const signal = new AbortController().signal

test('settles with work that ends in time', async () => {
  const { keep, health } = createDeadlines(clock)
  await expect(keep('work', 60_000, Promise.resolve(5))).resolves.toBe(5)
  await expect(keep('work', 60_000, Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(health.check(signal)).toEqual({ ok: true })
})

test.each(['resolve', 'reject'] as const)('is unhealthy until late work ends (%s)', async (end) => {
  const { keep, health } = createDeadlines(clock)
  const late = Promise.withResolvers<void>()
  await expect(keep('A chunk of x/0', 1, late.promise)).rejects.toThrow(DeadlineExceeded)
  expect(health.check(signal)).toEqual({
    ok: false,
    detail: 'A chunk of x/0 has not ended since 2026-02-01T00:00:00.000Z',
  })
  late[end]()
  await late.promise.catch(() => {})
  expect(health.check(signal)).toEqual({ ok: true })
})
