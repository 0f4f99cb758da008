import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { at, createTestStore, uuid } from '../store.fixture.ts'

const { store, drop } = createTestStore('leases')
const { leases } = store
beforeAll(() => store.migrate())
afterAll(drop)

const lease = (holder: number, seconds: number) => ({ holder: uuid(holder), now: at(seconds), ms: 10_000 })

test('has one holder at a time, who can extend it, until it ends or is released', async () => {
  const taken = await Promise.all([1, 2, 3, 4].map((holder) => leases.hold('a', lease(holder, 0))))
  expect(taken.filter(Boolean)).toHaveLength(1)
  const holder = taken.indexOf(true) + 1
  const other = (holder % 4) + 1
  expect(await leases.hold('a', lease(holder, 5))).toBe(true)
  expect(await leases.hold('a', lease(other, 14.9))).toBe(false)
  expect(await leases.hold('a', lease(other, 15))).toBe(true)
  expect(await leases.hold('a', lease(holder, 16))).toBe(false)
  await leases.release('a', uuid(holder))
  expect(await leases.hold('a', lease(holder, 16))).toBe(false)
  await leases.release('a', uuid(other))
  expect(await leases.hold('a', lease(holder, 16))).toBe(true)
  expect(await leases.hold('b', lease(other, 16))).toBe(true)
})
