import { userReads } from '@herald/mongo'
import { Binary, type Collection } from 'mongodb'
import type { LogStateDocument, SealingStateDocument } from '../documents/log-page-document.ts'
import type { CheckpointDocument } from '../documents/sealed-log-document.ts'

/** Processes without a key know the origin and the public keys from here. */
export type SealingState = {
  readonly origin: string
  /** Public Ed25519 keys, 32 bytes each, of all that signed since the log began: the present one first. */
  readonly keys: readonly Uint8Array[]
  /** The witnesses that are asked for cosignatures: names and ids of their keys. */
  readonly witnesses?: readonly string[] | undefined
}

/** Checkpoints exist under another origin. They and all proofs are bound to it, so nothing is sealed under a second one. */
export class OriginConflict extends Error {
  override readonly name = 'OriginConflict'
}

/** A key that the sealer does not have is in use. */
export class KeyConflict extends Error {
  override readonly name = 'KeyConflict'
}

const _id = 'sealing'

export type NoteOptions = {
  /** `start` refuses another key in use, `accept` puts the own ones before it, and `work` leaves the order to others. */
  readonly as: 'start' | 'accept' | 'work'
}

export function createSealingState(
  logState: Collection<LogStateDocument>,
  logCheckpoints: Collection<CheckpointDocument>,
) {
  const documents = logState as unknown as Collection<SealingStateDocument>

  /** `undefined` until a sealer with a key has run. */
  async function read(): Promise<SealingState | undefined> {
    const found = await documents.findOne({ _id }, userReads)
    if (found === null) return undefined
    const { origin, keys, witnesses } = found
    return { origin, keys: keys.map(({ buffer }) => buffer), witnesses }
  }

  return {
    read,
    /**
     * Notes the origin and keys of a sealer, before it signs anything. Keys of earlier ones stay behind them.
     *
     * @throws OriginConflict
     * @throws KeyConflict if the key in use is none of these
     */
    async note({ origin, keys, witnesses }: SealingState, { as }: NoteOptions = { as: 'accept' }): Promise<void> {
      const noted = await read()
      if (noted !== undefined && noted.origin !== origin && (await logCheckpoints.findOne({}, userReads)) !== null) {
        throw new OriginConflict(
          `Checkpoints exist under the origin ${noted.origin}, to which they and all proofs are bound. Set LOG_ORIGIN to it again.`,
        )
      }
      const own = keys.map((key) => new Binary(key))
      const inUse = noted?.keys[0]
      if (as === 'start' && inUse !== undefined && !keys.some((key) => Buffer.compare(key, inUse) === 0)) {
        throw new KeyConflict(
          `The key in use, ${Buffer.from(inUse).toString('base64')}, is neither LOG_SIGNING_KEY nor LOG_SIGNING_KEY_PREVIOUS. Set LOG_SIGNING_KEY_PREVIOUS to it to rotate, or start once with --accept-key if it is lost or was stolen`,
        )
      }
      const stored = { $ifNull: ['$keys', []] }
      const without = (input: object, others: object) => ({
        $filter: { input, cond: { $not: { $in: ['$$this', others] } } },
      })
      const literal = { $literal: own }
      const parts = as === 'work' ? [stored, without(literal, stored)] : [literal, without(stored, literal)]
      const all = { $concatArrays: parts }
      const set = {
        v: { $literal: 1 },
        origin: { $literal: origin },
        keys: all,
        witnesses: witnesses === undefined ? '$$REMOVE' : { $literal: witnesses },
      }
      await documents.updateOne({ _id }, [{ $set: set }], { upsert: true })
    },
  }
}
