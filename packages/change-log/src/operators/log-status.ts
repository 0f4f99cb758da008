import { eachAtOnce, uuidIn } from '@herald/mongo'
import { formatVerifierKey, keyNameOf, publicKeyOf } from '@herald/sealed-log'
import type { LogSources } from '../documents/collections.ts'
import { createCausalReads } from '../recorded-order/causal-reads.ts'
import { createLogReader } from '../recorded-order/read-log-pages.ts'
import type { RecordedLog } from '../recorded-order/recorded-log.ts'
import { createCheckpoints } from '../sealing/checkpoints.ts'
import { createConflicts } from '../sealing/conflicts.ts'
import { createLogLeaves } from '../sealing/leaves.ts'
import { createSealingState } from '../sealing/sealing-state.ts'
import { createWitnessedLogs } from '../witnessing/witnessed-logs.ts'

export type LogStatus = {
  readonly subscriberId: string
  /** Its length in the recorded order. */
  readonly length: number
  /** The size of the newest checkpoint; 0 if there is none. */
  readonly sealedSize: number
  readonly sealedAt: Date | undefined
  /** When the first leaf behind the newest checkpoint was recorded; `undefined` if all are sealed. */
  readonly unsealedSince: Date | undefined
  /** Why nothing of it is sealed any more. */
  readonly conflict: { readonly reason: string; readonly foundAt: Date } | undefined
  /** The witnesses of the policy. Empty without one. */
  readonly witnesses: readonly WitnessStatus[]
  /** The public keys under the name of this log, the present one first. Empty if no log is sealed. */
  readonly verifierKeys: readonly string[]
}

export type WitnessStatus = {
  /** The name and id of its key. */
  readonly witness: string
  /** The size of the largest checkpoint that it has cosigned; 0 if there is none. */
  readonly size: number
  /** Since when it has lacked a checkpoint; `undefined` if it has cosigned the newest one. */
  readonly behindSince: Date | undefined
  /** Its last answer, if it did not cosign. */
  readonly problem: string | undefined
}

export type LogsStatus = {
  /** How far the recorded order may be behind what is stored; `undefined` before a sequencer has run. */
  readonly orderLagSeconds: number | undefined
  /** `undefined` until a sealer with a key has run. */
  readonly sealing: { readonly origin: string; readonly publicKeys: readonly string[] } | undefined
  /** The number of logs that are stopped. */
  readonly stopped: number
  readonly logs: readonly LogStatus[]
}

export type LogsQuery = {
  /** One log, instead of those that are stopped and those that grew last. */
  readonly subscriberId?: string | undefined
  /** How many logs; with 0, only what concerns all of them is read. */
  readonly limit: number
}

type Dependencies = Pick<LogSources, 'logPages' | 'logState' | 'logCheckpoints'> &
  Pick<RecordedLog, 'lag'> & { readonly now: () => Date }

/** However many logs and pages there are, only the newest pages are looked at. */
const examinedPages = 1_000
const logsAtOnce = 10

/** Reads the state of logs for operators: those that are stopped, then those that grew last. */
export function createLogStatus({ logPages, logState, logCheckpoints, lag, now }: Dependencies) {
  const conflicts = createConflicts(logState, now)
  const leaves = createLogLeaves(logPages)
  const checkpoints = createCheckpoints(logCheckpoints, now)
  const sealingState = createSealingState(logState, logCheckpoints)
  const witnessed = createWitnessedLogs(logState)

  async function findNewest(limit: number): Promise<string[]> {
    // The collection is not clustered, so that its natural order is that of the inserts.
    const query = { filter: {}, projection: { recordedAt: 1 }, sort: { $natural: -1 }, limit: examinedPages } as const
    const { documents } = await createCausalReads().find(logPages, query)
    const newest = documents.toSorted((a, b) => b.recordedAt.getTime() - a.recordedAt.getTime())
    return [...new Set(newest.map(({ _id }) => uuidIn(_id)))].slice(0, limit)
  }

  async function findShown({ subscriberId, limit }: LogsQuery): Promise<string[]> {
    // A limit of 0 is none for MongoDB.
    if (limit === 0) return []
    if (subscriberId !== undefined) return [subscriberId]
    const found = await Promise.all([conflicts.newest(limit), findNewest(limit)])
    return [...new Set(found.flat())].slice(0, limit)
  }

  async function readStatus(subscriberId: string, sealing: Awaited<ReturnType<typeof sealingState.read>>) {
    const [sealed, conflict, witnesses] = await Promise.all([
      checkpoints.newestSigned(subscriberId),
      conflicts.find(subscriberId),
      readWitnesses(subscriberId, sealing?.witnesses ?? []),
    ])
    // Read after the checkpoint, so that it is not shorter.
    const length = await leaves.length(subscriberId)
    const sealedSize = sealed?.size ?? 0
    const unsealed = length > sealedSize ? await createLogReader(logPages, subscriberId).read(sealedSize, 1) : undefined
    const name = keyNameOf(sealing?.origin ?? '', subscriberId)
    return {
      subscriberId,
      length,
      sealedSize,
      sealedAt: sealed?.sealedAt,
      unsealedSince: unsealed?.recordedAt,
      conflict: conflict && { reason: conflict.reason, foundAt: conflict.foundAt },
      witnesses,
      verifierKeys: (sealing?.keys ?? []).map((key) => formatVerifierKey(name, publicKeyOf(key))),
    } satisfies LogStatus
  }

  async function readWitnesses(subscriberId: string, names: readonly string[]): Promise<WitnessStatus[]> {
    if (names.length === 0) return []
    const known = await witnessed.find(subscriberId)
    return Promise.all(
      names.map(async (witness): Promise<WitnessStatus> => {
        const { size = 0, problem, since } = known.find((one) => one.witness === witness) ?? {}
        const lacking = await checkpoints.firstAfter(subscriberId, size)
        // It may have cosigned another checkpoint of the same size.
        return { witness, size, behindSince: lacking?.sealedAt ?? since, problem }
      }),
    )
  }

  return async (query: LogsQuery): Promise<LogsStatus> => {
    const [orderLagSeconds, sealing, stopped, shown] = await Promise.all([
      lag(),
      sealingState.read(),
      conflicts.count(),
      findShown(query),
    ])
    return {
      orderLagSeconds,
      sealing: sealing && {
        origin: sealing.origin,
        publicKeys: sealing.keys.map((key) => Buffer.from(key).toString('base64')),
      },
      stopped,
      logs: await eachAtOnce(shown, logsAtOnce, (id) => readStatus(id, sealing)),
    }
  }
}
