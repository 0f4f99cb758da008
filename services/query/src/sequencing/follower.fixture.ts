import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { StoredChangeEntry } from '@herald/change-log'
import { makeUuidV7 } from '@herald/contracts'
import { isStorageUnavailable, type Store } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { expect } from '@jest/globals'
import { changeEntryAt, type User } from '../query.fixture.ts'

const everyMs = 20

/** Stores entries at random times of the last hour, until it is stopped. */
export function storeSome({ changeEntries }: Pick<Store, 'changeEntries'>, { subscriberId }: User) {
  const stored: StoredChangeEntry[] = []
  let isStopped = false
  /** As ingest does while no primary confirms them. */
  const untilStored = async (entries: readonly StoredChangeEntry[]) => {
    for (;;) {
      try {
        return await changeEntries.insertNew(entries)
      } catch (error) {
        if (!isStorageUnavailable(error)) throw error
      }
      await pause(everyMs)
    }
  }
  const run = async () => {
    while (!isStopped) {
      const entries = Array.from({ length: 20 }, () => {
        const time = Date.now() - (Math.random() < 0.2 ? Math.floor(Math.random() * 3_600_000) : 0)
        return { ...changeEntryAt(time, subscriberId), id: makeUuidV7(time, Buffer.from(randomUUID())) }
      })
      await untilStored(entries)
      stored.push(...entries)
      await pause(everyMs)
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
export function follow(user: User) {
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

export async function expectEachOnce(follower: ReturnType<typeof follow>, ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    await follower.readOn()
    return follower.seen.length >= ids.length
  })
  expect(follower.seen.toSorted()).toEqual(ids.toSorted())
  expect(await follower.readAgain()).toEqual(follower.seen)
}
