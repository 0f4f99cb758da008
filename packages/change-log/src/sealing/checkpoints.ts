import { hex, indexKeysUpTo, isDuplicateKey, StorageUnavailableError, toIndexKey, userReads } from '@herald/mongo'
import type { Checkpoint } from '@herald/sealed-log'
import { Binary, type Collection, type Filter } from 'mongodb'
import { type CheckpointDocument, sizeIn } from '../documents/sealed-log-document.ts'
import { createCausalReads } from '../recorded-order/causal-reads.ts'
import { LogConflict } from './log-conflict.ts'

export type StoredCheckpoint = Checkpoint & {
  readonly sealedAt: Date
  readonly note: string | undefined
}

export type SignedCheckpoint = StoredCheckpoint & { readonly note: string }

export type Checkpoints = ReturnType<typeof createCheckpoints>

/** The signed checkpoints of a log. */
export const signedIn = (subscriberId: string) => ({ _id: indexKeysUpTo(subscriberId), note: { $exists: true } })

export function createCheckpoints(logCheckpoints: Collection<CheckpointDocument>, now: () => Date) {
  async function findNewest(filter: Filter<CheckpointDocument>): Promise<StoredCheckpoint | undefined> {
    const { documents } = await createCausalReads().find(logCheckpoints, { filter, sort: { _id: -1 }, limit: 1 })
    return documents[0] && toCheckpoint(documents[0])
  }

  async function find(subscriberId: string, size: number): Promise<StoredCheckpoint | undefined> {
    const document = await logCheckpoints.findOne({ _id: toIndexKey(subscriberId, size) }, userReads)
    return document === null ? undefined : toCheckpoint(document)
  }

  /** Signed or not. */
  const newest = (subscriberId: string) => findNewest({ _id: indexKeysUpTo(subscriberId) })

  async function newestSigned(subscriberId: string): Promise<SignedCheckpoint | undefined> {
    const found = await findNewest(signedIn(subscriberId))
    return isSigned(found) ? found : undefined
  }

  return {
    newest,
    newestSigned,
    /** Both, which are the same most of the time. */
    async newestOfBoth(subscriberId: string) {
      const any = await newest(subscriberId)
      return { newest: any, signed: any && (isSigned(any) ? any : await newestSigned(subscriberId)) }
    },
    async signedOf(subscriberId: string, size: number): Promise<SignedCheckpoint | undefined> {
      const found = await find(subscriberId, size)
      return isSigned(found) ? found : undefined
    },
    /** The signed ones that are larger, ascending. */
    async signedAfter(subscriberId: string, size: number, limit: number): Promise<SignedCheckpoint[]> {
      const filter = {
        _id: { ...indexKeysUpTo(subscriberId), $gt: toIndexKey(subscriberId, size) },
        note: { $exists: true },
      }
      const found = await logCheckpoints.find(filter, { ...userReads, sort: { _id: 1 }, limit }).toArray()
      return found.map(toCheckpoint).filter(isSigned)
    },
    /** The largest signed ones, ascending. */
    async lastSigned(subscriberId: string, limit: number): Promise<SignedCheckpoint[]> {
      const found = await logCheckpoints
        .find(signedIn(subscriberId), { ...userReads, sort: { _id: -1 }, limit })
        .toArray()
      return found.toReversed().map(toCheckpoint).filter(isSigned)
    },
    /**
     * Inserts a checkpoint, and returns the one that is stored on a majority.
     *
     * @throws LogConflict if one of the same size with another root is stored
     */
    async insert(subscriberId: string, { size, root }: Checkpoint): Promise<StoredCheckpoint> {
      const _id = toIndexKey(subscriberId, size)
      const sealedAt = now()
      try {
        await logCheckpoints.insertOne({ _id, v: 1, root: new Binary(root), sealedAt })
        return { size, root, sealedAt, note: undefined }
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
      const stored = await find(subscriberId, size)
      // One that exists may not be on a majority, and never get there.
      if (stored === undefined) throw new StorageUnavailableError('A checkpoint that exists cannot be read yet')
      if (hex(new Binary(stored.root)) === hex(new Binary(root))) return stored
      throw new LogConflict(`A checkpoint of size ${size} with another root is stored`)
    },
    /**
     * Adds the note of a checkpoint that is stored. The first note remains.
     *
     * @param sign is called with what is stored, and with nothing else
     */
    async sign(
      subscriberId: string,
      checkpoint: StoredCheckpoint,
      sign: (checkpoint: Checkpoint) => string,
    ): Promise<SignedCheckpoint> {
      const { size, root } = checkpoint
      const unsigned = { _id: toIndexKey(subscriberId, size), root: new Binary(root), note: { $exists: false } }
      const note = sign({ size, root })
      const { matchedCount } = await logCheckpoints.updateOne(unsigned, { $set: { note } })
      if (matchedCount > 0) return { ...checkpoint, note }
      const stored = await find(subscriberId, size)
      if (!isSigned(stored)) throw new StorageUnavailableError('A note that was stored cannot be read yet')
      return stored
    },
  }
}

export const isSigned = (checkpoint: StoredCheckpoint | undefined): checkpoint is SignedCheckpoint =>
  checkpoint?.note !== undefined

export function toCheckpoint({ _id, root, sealedAt, note }: CheckpointDocument): StoredCheckpoint {
  return { size: sizeIn(_id), root: Buffer.from(root.buffer), sealedAt, note }
}
