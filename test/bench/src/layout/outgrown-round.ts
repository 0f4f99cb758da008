import { eventually } from '@herald/test-servers'
import type { Db } from 'mongodb'
import { randomIntegers, timeEach } from '../measure.ts'
import { contentOf } from './documents.ts'
import type { Layout } from './layouts.ts'
import { createNotifications, sizeOnDisk, writers } from './operations.ts'
import { addressOf } from './population.ts'
import type { Figures } from './report.ts'
import { withServerCpu } from './server-cpu.ts'

export type OutgrownOptions = {
  readonly documents: number
  readonly recipients: number
  readonly cacheMib: number
  /** Recipients of an event, anywhere among all. */
  readonly fanOut: number
}

const batchSize = 999
const pageCount = 500
/** Documents are stored with a large cache first, and the measured rest with the small one. */
const measuredShare = 0.05
const kibi = 2 ** 10
const mebi = 2 ** 20
const largeCache = 4 * 2 ** 30

type Counters = Readonly<Record<'blocksRead' | 'bytesRead' | 'blocksWritten' | 'bytesWritten' | 'bytesLogged', number>>

/** Measures a layout with more data than WiredTiger's cache holds. Counts of blocks hardly depend on other load. */
export async function measureOutgrown(db: Db, layout: Layout, options: OutgrownOptions): Promise<Figures> {
  const { documents, recipients, cacheMib, fanOut } = options
  const collection = await createNotifications(db, layout)
  const random = randomIntegers(1)
  let sequence = 0
  const insert = (count: number) =>
    timeEach(Math.ceil(count / batchSize), writers, () => {
      const batch = Array.from({ length: batchSize / fanOut }, () => {
        const content = contentOf(++sequence)
        const first = random(recipients)
        return Array.from({ length: fanOut }, (_, i) =>
          layout.toDocument({ address: addressOf((first + i * 3_331) % recipients, sequence), content }),
        )
      }).flat()
      return collection.insertMany(batch, { ordered: false })
    })
  const page = () =>
    collection
      .find(layout.feed(addressOf(random(recipients), 0)))
      .sort(layout.newestFirst)
      .limit(21)
      .hint(layout.feedHint)
      .toArray()

  await resize(db, largeCache)
  await insert(documents * (1 - measuredShare))
  await resize(db, cacheMib * mebi)
  const stored = await counted(db, () => withServerCpu(db, () => insert(documents * measuredShare)))
  const cold = await counted(db, () => timeEach(pageCount, 1, page))
  const size = await sizeOnDisk(db)
  await resize(db, largeCache)
  const warmed = Array.from({ length: pageCount }, () => addressOf(random(recipients), 0))
  const read = (index: number) =>
    collection
      .find(layout.feed(warmed[index] as (typeof warmed)[number]))
      .sort(layout.newestFirst)
      .limit(21)
      .hint(layout.feedHint)
      .toArray()
  const memory = await counted(db, () => timeEach(pageCount, 1, read))
  const warm = await timeEach(pageCount, 1, read)
  await db.dropDatabase()
  const inserted = Math.ceil((documents * measuredShare) / batchSize) * batchSize
  return {
    'insert, documents/s': stored.result.perSecond * batchSize,
    'server CPU for an insert, µs': stored.result.cpu / inserted,
    'KiB written for a document': stored.used.bytesWritten / kibi / inserted,
    'blocks written for a document': stored.used.blocksWritten / inserted,
    'blocks read for a document': stored.used.blocksRead / inserted,
    'KiB of journal for a document': stored.used.bytesLogged / kibi / inserted,
    'page, p50 ms': cold.result.p50,
    'page, blocks read': cold.used.blocksRead / pageCount,
    'page in memory, p50 ms': warm.p50,
    'page, p50 ÷ in memory': cold.result.p50 / warm.p50,
    'memory for a recipient whose page is read, KiB': memory.used.bytesRead / kibi / pageCount,
    'data on disk, bytes a document': (size.data * mebi) / documents,
    'indexes on disk, bytes a document': (size.indexes * mebi) / documents,
  }
}

export async function resize(db: Db, bytes: number): Promise<void> {
  await db.admin().command({ fsync: 1 })
  await db.admin().command({ setParameter: 1, wiredTigerEngineRuntimeConfig: `cache_size=${bytes}` })
  await eventually(async () => (await cacheBytes(db)) <= bytes, {
    description: 'the cache has shrunk',
    within: 120_000,
  })
}

async function cacheBytes(db: Db): Promise<number> {
  const { wiredTiger } = await db.admin().serverStatus()
  return wiredTiger.cache['bytes currently in the cache']
}

/** Runs `task` between two checkpoints, and returns what MongoDB read and wrote meanwhile. */
export async function counted<T>(db: Db, task: () => Promise<T>): Promise<{ result: T; used: Counters }> {
  await db.admin().command({ fsync: 1 })
  const first = await counters(db)
  const result = await task()
  await db.admin().command({ fsync: 1 })
  const last = await counters(db)
  const names = Object.keys(first) as (keyof Counters)[]
  return { result, used: Object.fromEntries(names.map((name) => [name, last[name] - first[name]])) as Counters }
}

async function counters(db: Db): Promise<Counters> {
  const { wiredTiger } = await db.admin().serverStatus()
  const { cache, log, 'block-manager': blocks } = wiredTiger as Record<string, Record<string, number>>
  return {
    blocksRead: cache?.['pages read into cache'] ?? Number.NaN,
    bytesRead: cache?.['bytes read into cache'] ?? Number.NaN,
    blocksWritten: blocks?.['blocks written'] ?? Number.NaN,
    bytesWritten: blocks?.['bytes written'] ?? Number.NaN,
    bytesLogged: log?.['log bytes written'] ?? Number.NaN,
  }
}
