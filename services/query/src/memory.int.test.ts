import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createMemoryTest, read, requestWithoutReading, untilSettled } from './memory.fixture.ts'
import { changeEntryAt } from './query.fixture.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const limitMiB = 300
const hangsAfterMs = 300_000

/** The peak of a process is only available on Linux. */
const onLinux = existsSync('/proc/self/status') ? describe : describe.skip
onLinux('the peak memory of a process stays under its limit', () => {
  let world: Awaited<ReturnType<typeof createMemoryTest>>
  /** A subscriber with more entries of 1 MB than a process may hold. */
  let user: Awaited<ReturnType<typeof world.newUser>>

  beforeAll(async () => {
    world = await createMemoryTest('bounds')
    user = await world.newUser()
    const changes = { afterState: JSON.stringify('x'.repeat(1_000_000)) }
    for (let n = 0; n < limitMiB; n += 20) {
      const entries = Array.from({ length: 20 }, (_, at) => changeEntryAt(start + n + at, user.subscriberId, changes))
      await world.store.changeEntries.insertNew(entries)
    }
  }, hangsAfterMs)
  afterAll(() => world?.end())

  test.each([
    ['an export', '/change-entries/all'],
    ['a page with a filter, over 16 MiB', '/change-entries?limit=100&actionType=update'],
  ])(
    'during %s',
    async (_, path) => {
      const peak = await world.peakOf(async ({ url }) => {
        expect(await read(url + path, user.token)).toEqual({ status: 200, bytes: expect.any(Number) })
      })
      expect(peak).toBeLessThan(limitMiB)
    },
    hangsAfterMs,
  )

  test(
    'during 400 exports of one user at once that are not read',
    async () => {
      const peak = await world.peakOf(async (service) => {
        const send = () => requestWithoutReading(service.url, '/change-entries/all', user.token)
        const sockets = await Promise.all(Array.from({ length: 400 }, send))
        await untilSettled(service)
        for (const socket of sockets) socket.destroy()
      })
      expect(peak).toBeLessThan(limitMiB)
    },
    hangsAfterMs,
  )
})
