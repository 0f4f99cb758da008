import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createMemoryTest, read, requestWithoutReading, untilSettled } from './memory.fixture.ts'
import { changeEntryAt, notificationAt } from './query.fixture.ts'
import { createTestSealer } from './sealed-log/test-sealer.fixture.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const largeState = JSON.stringify('x'.repeat(1_000_000))
const largeMetadata = `{"mention":{},"add":{"a":${largeState}},"edit":{}}`

/** The peak of a process is only available on Linux. */
const onLinux = existsSync('/proc/self/status') ? describe : describe.skip
onLinux('peak memory', () => {
  let world: Awaited<ReturnType<typeof createMemoryTest>>
  /** A subscriber with 400 entries of 1 MB, whose user also has 120 notifications of 1 MB. */
  let large: Awaited<ReturnType<typeof world.newUser>>
  /** A subscriber with 1,200 entries and notifications of 17 kB: more than MongoDB puts into one document. */
  let many: Awaited<ReturnType<typeof world.newUser>>

  beforeAll(async () => {
    world = await createMemoryTest('bounds')
    large = await world.newUser()
    many = await world.newUser()
    const { changeEntries, notifications } = world.store
    for (let n = 0; n < 400; n += 20) {
      const times = Array.from({ length: 20 }, (_, offset) => start + n + offset)
      await changeEntries.insertNew(
        times.map((time) => changeEntryAt(time, large.subscriberId, { afterState: largeState })),
      )
      if (n >= 120) continue
      await notifications.insertNew(times.map((time) => notificationAt(time, large, { metadata: largeMetadata })))
    }
    const state = JSON.stringify('y'.repeat(17_000))
    const times = Array.from({ length: 1_200 }, (_, n) => start + n)
    await changeEntries.insertNew(times.map((time) => changeEntryAt(time, many.subscriberId, { afterState: state })))
    await notifications.insertNew(
      times.map((time) => notificationAt(time, many, { metadata: `{"mention":{},"add":{"a":${state}},"edit":{}}` })),
    )
    const sealer = createTestSealer({ ...world, uri: process.env.MONGODB_URI ?? '' })
    await sealer.noteKey()
    await sealer.record()
    await sealer.seal(large.subscriberId)
    await sealer.end()
  }, 300_000)
  afterAll(() => world?.end())

  const print = (row: string, peak: number) => {
    if (process.env.HERALD_PRINT_MEMORY) process.stderr.write(`${row}: ${peak} MiB\n`)
  }
  const ten = <Result>(work: () => Promise<Result>) => Promise.all(Array.from({ length: 10 }, work))
  const whole = { status: 200, bytes: expect.any(Number) }

  const exportOfAll = ['an export of 400 entries of 1 MB', '/change-entries/all'] as const
  const sealedExport = ['a sealed export of 400 entries of 1 MB', '/change-entries/sealed'] as const
  const entries = ['a page of change entries of 1 MB', '/change-entries?limit=100'] as const
  const notifications = ['a page of notifications of 1 MB', '/?limit=100'] as const
  const large1MB = [exportOfAll, sealedExport, entries, notifications]

  test.each(large1MB)(
    '%s stays under 300 MiB',
    async (row, path) => {
      const peak = await world.peakOf(async ({ url }) => {
        expect(await read(url + path, large.token)).toEqual(whole)
      })
      print(row, peak)
      expect(peak).toBeLessThan(300)
    },
    300_000,
  )

  test.each(large1MB)(
    'ten times %s at once stay under 450 MiB',
    async (row, path) => {
      const peak = await world.peakOf(async ({ url }) => {
        for (const answer of await ten(() => read(url + path, large.token, 60_000_000))) expect(answer).toEqual(whole)
      })
      print(`ten times ${row}`, peak)
      expect(peak).toBeLessThan(450)
    },
    300_000,
  )

  const filtered = [
    ['an export with a filter', '/change-entries/all?actionType=update'],
    ['a page of change entries with a filter', '/change-entries?limit=100&actionType=update'],
    ['a page of notifications with a filter', '/?limit=100&type=mention'],
  ]

  test.each(filtered)(
    '%s over 16 MiB succeeds and stays under 300 MiB',
    async (row, path) => {
      for (const [user, of] of [[many, '17 kB'] as const, [large, '1 MB'] as const]) {
        const peak = await world.peakOf(async ({ url }) => {
          expect(await read(url + path, user.token)).toEqual(whole)
        })
        print(`${row}, documents of ${of}`, peak)
        expect(peak).toBeLessThan(300)
      }
    },
    300_000,
  )

  test('HEAD of an export reads nothing', async () => {
    const peak = await world.peakOf(async (service) => {
      const socket = await requestWithoutReading(service.url, '/change-entries/all', large.token, 'HEAD')
      await untilSettled(service)
      socket.destroy()
    })
    print('HEAD of an export', peak)
    expect(peak).toBeLessThan(200)
  }, 300_000)

  const exported = ['/change-entries/all', '/change-entries/sealed']
  test.each(exported)(
    '400 concurrent exports of one user that are not read stay under 300 MiB: %s',
    async (path) => {
      const peak = await world.peakOf(async (service) => {
        const send = () => requestWithoutReading(service.url, path, large.token)
        const sockets = await Promise.all(Array.from({ length: 400 }, send))
        await untilSettled(service)
        for (const socket of sockets) socket.destroy()
      })
      print(`400 exports, unread: ${path}`, peak)
      expect(peak).toBeLessThan(300)
    },
    300_000,
  )

  const pages = ['200 times a page of notifications of 17 kB', '/?limit=100']
  const scripts = ['600 times a script of the documentation', '/docs/swagger-ui-bundle.js']
  test.each([pages, scripts])(
    '%s, unread, stays under 400 MiB',
    async (row, path) => {
      const peak = await world.peakOf(async (service) => {
        const count = Number(row.split(' ')[0])
        const send = () => requestWithoutReading(service.url, path, many.token)
        const sockets = await Promise.all(Array.from({ length: count }, send))
        await untilSettled(service)
        for (const socket of sockets) socket.destroy()
      })
      print(row, peak)
      expect(peak).toBeLessThan(400)
    },
    300_000,
  )
})
