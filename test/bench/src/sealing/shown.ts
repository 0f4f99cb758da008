import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '@herald/local-herald'
import { createStore } from '@herald/store'
import { createTokenIssuer } from '@herald/token-issuer'
import { now } from '../clock.ts'
import { quantile } from '../measure.ts'
import { migrate } from '../migrate.ts'
import type { BenchContext } from '../part.ts'
import { changeEntry } from '../query/change-entries.ts'
import { serviceSettings } from '../settings.ts'
import { openLoop } from '../target/open-loop.ts'
import { startSealer } from './sealer.ts'

export const shownPerSecond = 5_000
const batchesPerSecond = 20
const followerCount = 10
const pageLimit = 100
const pollMs = 50

type Page = {
  readonly data: { readonly changeEntries: readonly { readonly id: string }[]; readonly nextCursor: string }
}

/** The 99th percentile, in milliseconds, from an entry that is stored to the response of the recorded order with it. */
export async function measureShown({ servers, client, smoke }: BenchContext): Promise<number> {
  const database = `bench-${randomUUID()}`
  const tokens = await createTokenIssuer()
  const settings = serviceSettings({ ...servers, database, tokens })
  await migrate(settings)
  const store = createStore({ uri: servers.mongodbUri, database, applicationName: 'herald-bench' })
  const [sealer, query] = await Promise.all([startSealer(settings), startService('query', settings)])
  const subscribers = Array.from({ length: followerCount }, () => randomUUID())
  const storedAt = new Map<string, number>()
  const shownAt = new Map<string, number>()
  let isStored = false
  const follow = async (subscriberId: string) => {
    const headers = { authorization: `Bearer ${await tokens.sign({ subscriber_id: subscriberId })}` }
    for (let cursor = ''; ; ) {
      const wasStored = isStored
      const path = `/change-entries?order=recorded&limit=${pageLimit}${cursor && `&cursor=${cursor}`}`
      const response = await fetch(query.url + path, { headers })
      if (response.status === 503) {
        await pause(pollMs)
        continue
      }
      if (!response.ok) throw new Error(`The recorded order returned ${response.status}`)
      const { changeEntries, nextCursor } = ((await response.json()) as Page).data
      for (const { id } of changeEntries) shownAt.set(id, now())
      if (wasStored && shownAt.size >= storedAt.size) return
      cursor = nextCursor
      if (changeEntries.length < pageLimit) await pause(pollMs)
    }
  }
  try {
    const following = Promise.all(subscribers.map(follow))
    const storing: Promise<unknown>[] = []
    await openLoop({ perSecond: batchesPerSecond, seconds: smoke ? 1 : 20 }, (operations) => {
      for (const { sequence } of operations) {
        const size = shownPerSecond / batchesPerSecond
        const batch = Array.from({ length: size }, (_, i) =>
          changeEntry(subscribers[i % followerCount] as string, sequence * size + i),
        )
        const stored = store.changeEntries.insertNew(batch).then(() => {
          const at = now()
          for (const { id } of batch) storedAt.set(id, at)
        })
        storing.push(stored)
      }
    })
    await Promise.all(storing)
    isStored = true
    await following
    return quantile(
      [...storedAt].map(([id, at]) => (shownAt.get(id) as number) - at),
      0.99,
    )
  } finally {
    await Promise.all([sealer.stop(), query.stop(), store.close()])
    await client.db(database).dropDatabase()
  }
}
