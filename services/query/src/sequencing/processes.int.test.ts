import { randomUUID } from 'node:crypto'
import { makeUuidV7 } from '@herald/contracts'
import { type StartedService, startService } from '@herald/local-herald'
import type { StoredChangeEntry } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { changeEntryAt, createTestQuery, type User } from '../query.fixture.ts'

const query = await createTestQuery('sequencing')
const settings = { PATH: process.env.PATH, MONGODB_URI: process.env.MONGODB_URI, MONGODB_DATABASE: query.database }
const processes: StartedService[] = []
const start = async () => {
  const started = await startService('seal', settings)
  processes.push(started)
  return started
}

beforeAll(() => query.store.migrate())
afterAll(async () => {
  for (const started of processes) {
    started.kill('SIGCONT')
    await started.stop()
  }
  await query.stop()
})

/** Stores entries at random times of the last hour, until it is stopped. */
function storeSome({ subscriberId }: User) {
  const stored: StoredChangeEntry[] = []
  let isStopped = false
  const run = async () => {
    while (!isStopped) {
      const entries = Array.from({ length: 20 }, () => {
        const time = Date.now() - (Math.random() < 0.2 ? Math.floor(Math.random() * 3_600_000) : 0)
        return { ...changeEntryAt(time, subscriberId), id: makeUuidV7(time, Buffer.from(randomUUID())) }
      })
      await query.store.changeEntries.insertNew(entries)
      stored.push(...entries)
    }
  }
  const running = run()
  return {
    stored,
    async stop() {
      isStopped = true
      await running
      return stored.map(({ id }) => id)
    },
  }
}

/** Follows a log through the API. A second reader, from the start, must see the same order. */
function follow(user: User) {
  const seen: string[] = []
  let cursor: string | undefined
  const page = async (after: string | undefined) => {
    const position = after === undefined ? '' : `&cursor=${after}`
    const { status, json } = await user.get(`/change-entries?order=recorded&limit=100${position}`)
    return status === 200
      ? { ids: json.data.changeEntries.map(({ id }: { id: string }) => id), next: json.data.nextCursor }
      : undefined
  }
  return {
    seen,
    async readOn(): Promise<void> {
      for (;;) {
        const read = await page(cursor)
        if (read === undefined || read.next === cursor) return
        seen.push(...read.ids)
        cursor = read.next
      }
    },
    async readAgain(): Promise<string[]> {
      const ids: string[] = []
      for (let next: string | undefined; ; ) {
        const read = await page(next)
        if (read === undefined) throw new Error('Not ready')
        ids.push(...read.ids)
        if (read.next === next) return ids
        next = read.next
      }
    },
  }
}

async function expectEachOnce(follower: ReturnType<typeof follow>, ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    await follower.readOn()
    return follower.seen.length >= ids.length
  })
  expect(follower.seen.toSorted()).toEqual(ids.toSorted())
  expect(await follower.readAgain()).toEqual(follower.seen)
}

const works = (service: StartedService) => service.logs().some((line) => line.includes('Following what is stored'))
const metricsOf = async ({ adminUrl }: StartedService) => (await fetch(`${adminUrl}/metrics`)).text()

test('assigns each entry one place, whichever process is frozen longer than its lease, killed, or stopped', async () => {
  const user = await query.newUser({ scope: 'change-entries:read' })
  const follower = follow(user)
  const first = await start()
  await eventually(() => works(first))
  const second = await start()
  const writer = storeSome(user)
  const progress = async () => {
    const reached = follower.seen.length
    await eventually(async () => {
      await follower.readOn()
      return follower.seen.length > reached + 100
    })
  }
  await progress()
  first.kill('SIGSTOP')
  await eventually(() => works(second))
  await progress()
  first.kill('SIGCONT')
  await progress()
  second.kill('SIGKILL')
  await progress()
  await second.restart()
  await first.restart()
  await progress()
  await expectEachOnce(follower, await writer.stop())
}, 240_000)

test('shows how far the order is behind, also while nothing is stored', async () => {
  const user = await query.newUser({ scope: 'change-entries:read' })
  const lagOf = async () => (await user.get('/change-entries?order=recorded')).json.data.lagSeconds
  await eventually(async () => (await lagOf()) <= 3)
  expect(await metricsOf(processes[0] as StartedService)).toMatch(/^herald_order_lag_seconds \d+$/m)
  for (const one of processes) one.kill('SIGSTOP')
  await eventually(async () => (await lagOf()) >= 6)
  for (const one of processes) one.kill('SIGCONT')
  await eventually(async () => (await lagOf()) <= 3)
}, 120_000)
