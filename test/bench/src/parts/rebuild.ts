import { randomUUID } from 'node:crypto'
import { createSealing, startService } from '@herald/local-herald'
import { createStore } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import type { Binary, Db } from 'mongodb'
import { batchesOf, timeEach } from '../measure.ts'
import { migrate } from '../migrate.ts'
import type { Part } from '../part.ts'
import { processUsage } from '../process-usage.ts'
import { changeEntry } from '../query/change-entries.ts'
import { compareLog } from '../sealing/compare-log.ts'
import { serviceSettings } from '../settings.ts'

const mebi = 2 ** 20
const perBatch = 1_000
const batchesAtOnce = 6
const logsAtOnce = 12
const withinMs = 3_600_000

/** Entries of all logs have different ids. */
type Log = { readonly subscriberId: string; readonly first: number; readonly entries: number }

/**
 * The order and the seals of a change log that has had neither, as at a first start; the process is killed once meanwhile. Then a
 * follower reads each log from its beginning, and compares it with what is stored, and its leaves with its newest checkpoint.
 */
export const rebuild: Part = {
  name: 'rebuild',
  about: 'the recorded order and the seals of 10,000,000 stored change entries, compared entry by entry; only by name',
  rounds: 1,
  isOnlyByName: true,
  async run({ servers, client, smoke, log }) {
    const logs = smoke ? logsOf(2_000, 40) : logsOf(10_000_000, 990)
    const total = logs.reduce((sum, { entries }) => sum + entries, 0)
    const name = `bench-${randomUUID()}`
    const database = client.db(name)
    const tokens = await createTokenIssuer()
    const settings = serviceSettings({ ...servers, database: name, tokens })
    await migrate(settings)
    await storeEntries(servers.mongodbUri, name, logs)
    log(`${total} entries in ${logs.length} logs are stored`)

    const begun = performance.now()
    const secondsSince = () => (performance.now() - begun) / 1_000
    const sealer = await startService('seal', { ...settings, ...createSealing() })
    const query = await startService('query', settings)
    try {
      await until(`half of ${total} entries in order`, async () => (await orderedLeaves(database)) >= total / 2)
      sealer.kill('SIGKILL')
      await sealer.restart()
      await until(`${total} entries in order`, async () => (await orderedLeaves(database)) >= total)
      const ordered = secondsSince()
      log(`in order after ${ordered.toFixed(0)} s`)
      await until(`${total} leaves sealed`, async () => (await sealedLeaves(database)) >= total)
      const sealed = secondsSince()
      const { peakMemoryBytes } = await processUsage(sealer.pid)
      log(`sealed after ${sealed.toFixed(0)} s`)

      await timeEach(logs.length, logsAtOnce, async (index) => {
        const { subscriberId, entries } = logs[index] as Log
        const token = await tokens.sign({ subscriber_id: subscriberId, scope: 'change-entries:read' })
        await compareLog({ database, baseUrl: query.url, token, subscriberId, entries })
        if (index % 100 === 99) log(`${index + 1} of ${logs.length} logs compared`)
      })
      return [
        { what: `${total} stored change entries in recorded order`, unit: 's', measured: [ordered] },
        { what: `${total} stored change entries sealed`, unit: 's', measured: [sealed] },
        { what: 'peak memory of the sealer meanwhile', unit: 'MiB', measured: [peakMemoryBytes / mebi] },
      ]
    } finally {
      await Promise.all([sealer.stop(), query.stop()])
      await database.dropDatabase()
    }
  },
}

/** A tenth of the entries is in one log, a tenth in nine, and the rest in many. */
function logsOf(total: number, small: number): Log[] {
  const tenth = total / 10
  const shares = [...repeat(1, tenth), ...repeat(9, tenth), ...repeat(small, total - 2 * tenth)]
  let first = 0
  return shares.map((entries) => {
    first += entries
    return { subscriberId: randomUUID(), first: first - entries, entries }
  })
}

const repeat = (count: number, entries: number) =>
  Array.from({ length: count }, (_, i) => Math.floor((entries * (i + 1)) / count) - Math.floor((entries * i) / count))

async function storeEntries(uri: string, database: string, logs: readonly Log[]): Promise<void> {
  const store = createStore({ uri, database, applicationName: 'herald-bench' })
  try {
    const batches = logs.flatMap(({ subscriberId, first, entries }) =>
      batchesOf([...Array(entries).keys()], perBatch).map((offsets) => ({ subscriberId, first, offsets })),
    )
    await timeEach(batches.length, batchesAtOnce, async (index) => {
      const { subscriberId, first, offsets } = batches[index] as (typeof batches)[number]
      await store.changeEntries.insertNew(offsets.map((offset) => changeEntry(subscriberId, first + offset)))
    })
  } finally {
    await store.close()
  }
}

const until = (description: string, isReached: () => Promise<boolean>) =>
  eventually(isReached, { description, within: withinMs, every: 1_000 })

async function orderedLeaves(database: Db): Promise<number> {
  const sum = [{ $group: { _id: null, leaves: { $sum: '$count' } } }]
  const [found] = await database.collection('log-pages').aggregate(sum).toArray()
  return found?.leaves ?? 0
}

/** The sum of the sizes of the newest checkpoints. The last 8 bytes of a checkpoint's key are its size. */
async function sealedLeaves(database: Db): Promise<number> {
  const sizes = new Map<string, number>()
  const checkpoints = database
    .collection<{ _id: Binary }>('log-checkpoints')
    .find({ note: { $exists: true } }, { projection: { _id: 1 } })
  for await (const { _id } of checkpoints) {
    const key = Buffer.from(_id.buffer)
    sizes.set(key.toString('hex', 0, 16), Number(key.readBigUInt64BE(16)))
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}
