import { userReads } from '@herald/mongo'
import { Binary, type Collection } from 'mongodb'
import type { LogStateDocument, SealingStateDocument } from '../documents/log-page-document.ts'
import type { CheckpointDocument } from '../documents/sealed-log-document.ts'

/** Processes without a key know the origin and the public keys from here. */
export type SealingState = {
  readonly origin: string
  /** Public Ed25519 keys, 32 bytes each, of all that signed since the log began: the present one first. */
  readonly keys: readonly Uint8Array[]
}

/** Checkpoints exist under another origin. They and all proofs are bound to it, so nothing is sealed under a second one. */
export class OriginConflict extends Error {
  override readonly name = 'OriginConflict'
}

const _id = 'sealing'

export function createSealingState(
  logState: Collection<LogStateDocument>,
  logCheckpoints: Collection<CheckpointDocument>,
) {
  const documents = logState as unknown as Collection<SealingStateDocument>

  /** `undefined` until a sealer with a key has run. */
  async function read(): Promise<SealingState | undefined> {
    const found = await documents.findOne({ _id }, userReads)
    return found === null ? undefined : { origin: found.origin, keys: found.keys.map(({ buffer }) => buffer) }
  }

  return {
    read,
    /**
     * Notes the origin and keys of a sealer, before it signs anything. Keys of earlier ones stay behind them.
     *
     * @throws OriginConflict
     */
    async note({ origin, keys }: SealingState): Promise<void> {
      const noted = await read()
      if (noted !== undefined && noted.origin !== origin && (await logCheckpoints.findOne({}, userReads)) !== null) {
        throw new OriginConflict(
          `Checkpoints exist under the origin ${noted.origin}, to which they and all proofs are bound. Set LOG_ORIGIN to it again.`,
        )
      }
      const own = keys.map((key) => new Binary(key))
      const earlier = { $filter: { input: { $ifNull: ['$keys', []] }, cond: { $not: { $in: ['$$this', own] } } } }
      const set = { v: { $literal: 1 }, origin: { $literal: origin }, keys: { $concatArrays: [own, earlier] } }
      await documents.updateOne({ _id }, [{ $set: set }], { upsert: true })
    },
  }
}
