import { hex, keysUnder, toKey, toUuidBinary, userReads, uuidIn } from '@herald/mongo'
import type { ErasureDocument } from '@herald/persons'
import type { LogSources } from '../documents/collections.ts'
import { decodeBounds, type ErasurePage, pagesFrom, type RangeBounds } from '../documents/log-page-document.ts'
import type { CausalReads } from '../recorded-order/causal-reads.ts'

/** The erasures that readers of a log must know. */
export type ErasuresOfLog = {
  /** An erasure was accepted, and has no leaf yet. */
  readonly isUnderWay: boolean
  /** The entries that each erasure names whose user salts may not be gone yet. */
  readonly named: readonly RangeBounds[]
}

type Unrecorded = Pick<ErasureDocument, '_id' | 'target' | 'work'>

const unrecordedPerRead = 100

export function createErasuresOfLog(
  dependencies: Pick<LogSources, 'erasures' | 'erasureHeads' | 'logPages'>,
  subscriberId: string,
) {
  const { erasures, erasureHeads, logPages } = dependencies

  async function findUnrecorded(reads: CausalReads) {
    return reads.find<Unrecorded>(erasures as never, {
      filter: { unrecorded: true, _id: keysUnder([subscriberId], 2) } as never,
      projection: { target: 1, 'work.phase': 1 },
      limit: unrecordedPerRead,
      hint: 'unrecorded',
    })
  }

  async function findLeaf(reads: CausalReads, { _id, target }: Unrecorded): Promise<RangeBounds | undefined> {
    const { documents } = await reads.find<ErasurePage>(logPages as never, {
      filter: {
        'erasure.target': target,
        'erasure.eventId': toUuidBinary(uuidIn(_id, 1)),
        _id: pagesFrom(subscriberId, 0),
      },
      projection: { 'erasure.leafIndexes': 1 },
      limit: 1,
      hint: 'erasures',
    })
    return documents[0] && decodeBounds(documents[0].erasure.leafIndexes)
  }

  return {
    /** Changes before the acceptance of an erasure is confirmed, and before its work ends. */
    async version(): Promise<string> {
      const options = { ...userReads, projection: { version: 1 } }
      const head = await erasureHeads.findOne({ _id: toKey(subscriberId) }, options)
      return head === null ? '' : hex(head.version)
    },
    async find(reads: CausalReads): Promise<ErasuresOfLog> {
      const { documents, isCut } = await findUnrecorded(reads)
      if (isCut || documents.some(({ work }) => work !== undefined)) return { isUnderWay: true, named: [] }
      const leaves = await Promise.all(documents.map((erasure) => findLeaf(reads, erasure)))
      return { isUnderWay: leaves.includes(undefined), named: leaves.filter((bounds) => bounds !== undefined) }
    },
    /** Whether an erasure that is not recorded yet has this pseudonym. */
    async hasUnrecorded(reads: CausalReads, pseudonym: string): Promise<boolean> {
      const target = hex(toKey(subscriberId, pseudonym))
      return (await findUnrecorded(reads)).documents.some((erasure) => hex(erasure.target) === target)
    },
  }
}
