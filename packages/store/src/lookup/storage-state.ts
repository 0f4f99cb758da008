import type { Collection, Db } from 'mongodb'
import type { FanOutDocument } from '../fan-outs/fan-out-document.ts'
import { findDifferences } from '../migration/find-missing.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { WaitingReceipts } from '../receipts/waiting-receipt.ts'

/** The state of MongoDB as an operator sees it. */
export type StorageState = {
  /** The version of the server. */
  readonly version: string
  readonly primary: string | undefined
  /** How far the majority of the replica set is behind the primary. Change streams and writes wait for it. */
  readonly majorityBehindMs: number
  /** Collections and indexes that `migrate` would create or change. */
  readonly differences: readonly string[]
  readonly waitingReceipts: { readonly count: number; readonly oldest: Date | undefined }
  /** Requests that were cut off and that another process completes. */
  readonly interruptedRequests: { readonly count: number; readonly oldest: Date | undefined }
}

export type StorageStateDependencies = {
  readonly database: Db
  readonly retentionDays: number | undefined
  readonly waiting: WaitingReceipts
  readonly fanOuts: Collection<FanOutDocument>
}

/** Counting stops here: a larger number changes no decision. */
const countLimit = 100_000

type Hello = {
  readonly primary?: string
  readonly lastWrite?: { readonly lastWriteDate: Date; readonly majorityWriteDate: Date }
}

/** Reads the state. Throws if no primary answers. */
export async function readStorageState(dependencies: StorageStateDependencies): Promise<StorageState> {
  const { database, retentionDays, waiting, fanOuts } = dependencies
  const counted = { ...readLimits, limit: countLimit } as const
  const due = { dueAt: { $exists: true } } as const
  const [hello, build, { missing, retention }, receipts, oldestReceipt, requests, oldestRequest] = await Promise.all([
    database.admin().command({ hello: 1, ...readLimits }) as Promise<Hello>,
    database.admin().command({ buildInfo: 1, ...readLimits }),
    findDifferences(database, retentionDays),
    waiting.countDocuments({}, counted),
    waiting.findOne({}, { ...readLimits, sort: { waitingSince: 1 }, projection: { waitingSince: 1 } }),
    fanOuts.countDocuments(due, counted),
    fanOuts.findOne(due, { ...readLimits, sort: { dueAt: 1 }, projection: { createdAt: 1 } }),
  ])
  const { lastWriteDate, majorityWriteDate } = hello.lastWrite ?? {}
  return {
    version: String(build.version),
    primary: hello.primary,
    majorityBehindMs: Math.max(0, (lastWriteDate?.getTime() ?? 0) - (majorityWriteDate?.getTime() ?? 0)),
    differences: [...missing, ...retention],
    waitingReceipts: { count: receipts, oldest: oldestReceipt?.waitingSince },
    interruptedRequests: { count: requests, oldest: oldestRequest?.createdAt },
  }
}
