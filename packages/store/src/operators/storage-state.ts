import { type CollectionPlan, findDifferences, readLimits } from '@herald/mongo'
import type { Db } from 'mongodb'
import type { Collections } from '../collections/collections.ts'

export type StorageState = Awaited<ReturnType<typeof readStorageState>>

/** Counting stops here: a larger number changes no decision. */
const countLimit = 100_000

type Hello = {
  readonly localTime: Date
  readonly primary?: string
  readonly lastWrite?: { readonly lastWriteDate: Date; readonly majorityWriteDate: Date }
}

/** `clockAheadMs`: at least, how far the primary's clock is ahead of this process's; negative if it is behind. */
async function readHello(database: Db) {
  const askedAt = Date.now()
  const hello = (await database.admin().command({ hello: 1, ...readLimits })) as Hello
  const time = hello.localTime.getTime()
  return { ...hello, clockAheadMs: Math.min(0, time - askedAt) + Math.max(0, time - Date.now()) }
}

export async function readStorageState(
  database: Db,
  { waitingReceipts: waiting, fanOuts }: Pick<Collections, 'waitingReceipts' | 'fanOuts'>,
  plans: readonly CollectionPlan[],
) {
  const counted = { ...readLimits, limit: countLimit } as const
  const due = { dueAt: { $exists: true } } as const
  const [hello, build, { missing, retention }, receipts, oldestReceipt, requests, oldestRequest] = await Promise.all([
    readHello(database),
    database.admin().command({ buildInfo: 1, ...readLimits }),
    findDifferences(database, plans),
    waiting.countDocuments({}, counted),
    waiting.findOne({}, { ...readLimits, sort: { waitingSince: 1 }, projection: { waitingSince: 1 } }),
    fanOuts.countDocuments(due, counted),
    fanOuts.findOne(due, { ...readLimits, sort: { dueAt: 1 }, projection: { createdAt: 1 } }),
  ])
  const { lastWriteDate, majorityWriteDate } = hello.lastWrite ?? {}
  return {
    /** The time of the primary, by which everything stored has its times. */
    now: hello.localTime,
    clockAheadMs: hello.clockAheadMs,
    version: String(build.version),
    primary: hello.primary,
    /** How far the majority of the replica set is behind the primary. Change streams and writes wait for it. */
    majorityBehindMs: Math.max(0, (lastWriteDate?.getTime() ?? 0) - (majorityWriteDate?.getTime() ?? 0)),
    /** Collections and indexes that `migrate` would create or change. */
    differences: [...missing, ...retention],
    waitingReceipts: { count: receipts, oldest: oldestReceipt?.waitingSince },
    /** Requests that were cut off and that another process completes. */
    interruptedRequests: { count: requests, oldest: oldestRequest?.createdAt },
  }
}
