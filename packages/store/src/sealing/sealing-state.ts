import { Binary, type Collection } from 'mongodb'
import type { LogStateDocument, SealingStateDocument } from '../documents/log-page-document.ts'
import { userReads } from '../reading/read-limits.ts'

/** What processes without a key must know of those that have one. */
export type SealingState = {
  readonly origin: string
  /** Public Ed25519 keys, 32 bytes each, of all that signed since the log began: the present one first. */
  readonly keys: readonly Uint8Array[]
}

const _id = 'sealing'

export function createSealingState(logState: Collection<LogStateDocument>) {
  const documents = logState as unknown as Collection<SealingStateDocument>
  return {
    /** `undefined` until a sealer with a key has run. */
    async read(): Promise<SealingState | undefined> {
      const found = await documents.findOne({ _id }, userReads)
      return found === null ? undefined : { origin: found.origin, keys: found.keys.map(({ buffer }) => buffer) }
    },
    /** Notes the origin and keys of a sealer, before it signs anything. Keys of earlier ones stay behind them. */
    async note({ origin, keys }: SealingState): Promise<void> {
      const own = keys.map((key) => new Binary(key))
      const earlier = { $filter: { input: { $ifNull: ['$keys', []] }, cond: { $not: { $in: ['$$this', own] } } } }
      const set = { v: { $literal: 1 }, origin: { $literal: origin }, keys: { $concatArrays: [own, earlier] } }
      await documents.updateOne({ _id }, [{ $set: set }], { upsert: true })
    },
  }
}
