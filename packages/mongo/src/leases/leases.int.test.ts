import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { uuid } from '../test-data.fixture.ts'
import { createTestDatabase } from '../test-database.fixture.ts'
import { createLeases, type LeaseDocument } from './leases.ts'

const { subscriberId, database, migrate, close } = createTestDatabase()
const collection = database.collection<LeaseDocument>('leases')
const stored = createLeases(collection)
beforeAll(migrate)
afterAll(close)

const named = (name: string) => `${subscriberId} ${name}`
const leases = {
  hold: (name: string, given: { holder: string; ms: number }) => stored.hold(named(name), given),
  release: (name: string, holder: string) => stored.release(named(name), holder),
}
const lease = (holder: number, ms = 60_000) => ({ holder: uuid(holder), ms })

test('has one holder at a time, who can extend it, until it is released', async () => {
  const taken = await Promise.all([1, 2, 3, 4].map((holder) => leases.hold('a', lease(holder))))
  expect(taken.filter(Boolean)).toHaveLength(1)
  const holder = taken.indexOf(true) + 1
  const other = (holder % 4) + 1
  expect(await leases.hold('a', lease(holder))).toBe(true)
  expect(await leases.hold('a', lease(other))).toBe(false)
  await leases.release('a', uuid(other))
  expect(await leases.hold('a', lease(other))).toBe(false)
  await leases.release('a', uuid(holder))
  expect(await leases.hold('a', lease(other))).toBe(true)
  expect(await leases.hold('a', lease(holder))).toBe(false)
  expect(await leases.hold('b', lease(holder))).toBe(true)
})

test('ends by the clock of the server, not that of a process', async () => {
  expect(await leases.hold('c', lease(1))).toBe(true)
  const { localTime } = await database.command({ hello: 1 })
  const left = ((await collection.findOne({ _id: named('c') }))?.until.getTime() ?? 0) - localTime.getTime()
  expect(left).toBeGreaterThan(30_000)
  expect(left).toBeLessThanOrEqual(60_000)
  expect(await leases.hold('c', lease(1, 200))).toBe(true)
  await eventually(() => leases.hold('c', lease(2)))
  expect(await leases.hold('c', lease(1))).toBe(false)
})

test('is free if it ends later than its term from now, as after the clock of the server was set back', async () => {
  expect(await leases.hold('d', lease(1, 30_000))).toBe(true)
  const setBack = (ms: number) =>
    collection.updateOne({ _id: named('d') }, [{ $set: { until: { $add: ['$until', ms] } } }])
  await setBack(-1_000)
  expect(await leases.hold('d', lease(2))).toBe(false)
  await setBack(2 * 60 * 60 * 1_000)
  expect(await leases.hold('d', lease(2))).toBe(true)
  expect(await leases.hold('d', lease(1))).toBe(false)
})
