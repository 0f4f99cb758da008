import type { Db } from 'mongodb'
import { batchesOf, randomIntegers, timeEach } from '../measure.ts'
import type { Layout } from './layouts.ts'
import {
  countUnread,
  createNotifications,
  insertAgain,
  insertAll,
  markRead,
  page,
  sizeOnDisk,
  writers,
} from './operations.ts'
import { addressOf, deepCount, deepRecipientCount, type Population, recipientCount } from './population.ts'
import { withServerCpu } from './server-cpu.ts'
import { withSmallCache } from './small-cache.ts'

const batchSize = 1_000

type Subject = { db: Db; layout: Layout; population: Population }

/** Measures every figure of a layout on a new collection. The names include the unit. */
export async function measureLayout(
  { db, layout, population }: Subject,
  seed: number,
): Promise<Record<string, number>> {
  const collection = await createNotifications(db, layout)
  const batches = batchesOf(population.even().map(layout.toDocument), batchSize)
  const later = batchesOf(population.late().map(layout.toDocument), batchSize)
  const deep = batchesOf(population.deep().map(layout.toDocument), batchSize)
  const random = randomIntegers(seed)
  const first = () => page(collection, layout, layout.feed(addressOf(random(recipientCount), 0)))
  const next = () => {
    const position = population.deepAddress(random(deepRecipientCount), 100 + random(deepCount - 100))
    return page(collection, layout, layout.feed(position, true))
  }
  const unread = () => countUnread(collection, layout, random(deepRecipientCount))
  const mark = (nth: number) => {
    // 7,919 has no divisor in common with the number of deep notifications: none is marked twice.
    const chosen = (nth * 7_919 + seed) % (deepRecipientCount * deepCount)
    const address = population.deepAddress(chosen % deepRecipientCount, Math.floor(chosen / deepRecipientCount))
    return markRead(collection, layout, address)
  }

  const cpu = <T extends object>(task: () => Promise<T>) => withServerCpu(db, task)
  const insert = await cpu(async () => ({ ...(await insertAll(collection, batches)), ...(await sizeOnDisk(db)) }))
  const replay = await cpu(() => timeEach(50, writers, (i) => insertAgain(collection, batches[i] ?? [])))
  await insertAll(collection, deep)
  await timeEach(300, 2, first)
  const page1 = await timeEach(1_000, 1, first)
  const page16 = await cpu(() => timeEach(4_000, 16, first))
  const next1 = await timeEach(1_000, 1, next)
  const next16 = await timeEach(2_000, 16, next)
  const count = await cpu(() => timeEach(300, 1, unread))
  const mark1 = await timeEach(300, 1, mark)
  const mark16 = await cpu(() => timeEach(4_000, 16, (i) => mark(i + 300)))
  const smallPage = await withSmallCache(db, () => timeEach(1_000, 1, first))
  const smallInsert = await withSmallCache(db, () => insertAll(collection, later))

  return {
    'insert, documents/s': insert.perSecond * batchSize,
    'replay (all 11000), documents/s': replay.perSecond * batchSize,
    'data on disk, MiB': insert.data,
    'indexes on disk, MiB': insert.indexes,
    'data and indexes on disk, MiB': insert.data + insert.indexes,
    'page of 20, p50 ms': page1.p50,
    'page of 20, p99 ms': page1.p99,
    'page of 20, 16 at once, p50 ms': page16.p50,
    'page of 20, 16 at once, p99 ms': page16.p99,
    'page after a cursor, p50 ms': next1.p50,
    'page after a cursor, p99 ms': next1.p99,
    'page after a cursor, 16 at once, p50 ms': next16.p50,
    'page after a cursor, 16 at once, p99 ms': next16.p99,
    'count of 1,000 unread, p50 ms': count.p50,
    'marks, one at a time, /s': mark1.perSecond,
    'marks, 16 at once, /s': mark16.perSecond,
    'server CPU for an insert, µs': insert.cpu / 200_000,
    'server CPU for a replayed document, µs': replay.cpu / (50 * batchSize),
    'server CPU for a page of 20, µs': page16.cpu / 4_000,
    'server CPU for a count of 1,000, µs': count.cpu / 300,
    'server CPU for a mark, µs': mark16.cpu / 4_000,
    'small cache: page of 20, p50 ms': smallPage.result.p50,
    'small cache: blocks read for a page': smallPage.blocksRead / 1_000,
    'small cache: insert, documents/s': smallInsert.result.perSecond * batchSize,
    'small cache: blocks read for a document': smallInsert.blocksRead / (later.length * batchSize),
    'small cache: KiB written for a document': smallInsert.bytesWritten / 1_024 / (later.length * batchSize),
  }
}
