import { hex, indexKeysUpTo, isDuplicateKey, StorageUnavailableError, toIndexKey, userReads } from '@herald/mongo'
import type { Checkpoint } from '@herald/sealed-log'
import { Binary, type Collection, type Filter } from 'mongodb'
import { type CheckpointDocument, type Cosignature, sizeIn } from '../documents/sealed-log-document.ts'
import { createCausalReads } from '../recorded-order/causal-reads.ts'
import { LogConflict } from './log-conflict.ts'

export type StoredCheckpoint = Checkpoint & {
  readonly sealedAt: Date
  /** Signed, with the cosignatures so far. */
  readonly note: string | undefined
  /** Whether it is neither served nor published until it has the quorum of witnesses. */
  readonly isHeld: boolean
  /** The witnesses that have cosigned it. */
  readonly cosignedBy: readonly string[]
}

export type SignedCheckpoint = StoredCheckpoint & { readonly note: string }

export type Checkpoints = ReturnType<typeof createCheckpoints>

/** The checkpoints of a log that are served and published. */
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

  async function newestSigned(
    subscriberId: string,
    filter: Filter<CheckpointDocument> = signedIn(subscriberId),
  ): Promise<SignedCheckpoint | undefined> {
    const found = await findNewest(filter)
    return isSigned(found) ? found : undefined
  }

  /** The newest signed checkpoint, including one that is held. */
  const newestOwn = (subscriberId: string) =>
    newestSigned(subscriberId, { _id: indexKeysUpTo(subscriberId), $or: signed })

  return {
    newest,
    /** It is served. */
    newestSigned: (subscriberId: string) => newestSigned(subscriberId),
    newestOwn,
    /** Signed or not, and the newest signed one, which are the same most of the time. Either may be held. */
    async newestOfBoth(subscriberId: string) {
      const any = await newest(subscriberId)
      return { newest: any, signed: any && (isSigned(any) ? any : await newestOwn(subscriberId)) }
    },
    async signedOf(subscriberId: string, size: number): Promise<SignedCheckpoint | undefined> {
      const found = await find(subscriberId, size)
      return isSigned(found) && !found.isHeld ? found : undefined
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
    /** The next larger one, signed or not, served or not. */
    async firstAfter(subscriberId: string, size: number): Promise<StoredCheckpoint | undefined> {
      const _id = { ...indexKeysUpTo(subscriberId), $gt: toIndexKey(subscriberId, size) }
      const document = await logCheckpoints.findOne({ _id }, { ...userReads, sort: { _id: 1 } })
      return document === null ? undefined : toCheckpoint(document)
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
        return { size, root, sealedAt, note: undefined, isHeld: false, cosignedBy: [] }
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
     * @param isHeldBack whether a note is served and published only when it is released
     */
    async sign(
      subscriberId: string,
      checkpoint: StoredCheckpoint,
      sign: (checkpoint: Checkpoint) => string,
      isHeldBack: (note: string) => boolean,
    ): Promise<SignedCheckpoint> {
      const { size, root } = checkpoint
      const none = { note: { $exists: false }, unwitnessed: { $exists: false } }
      const unsigned = { ...own(subscriberId, checkpoint), ...none }
      const note = sign({ size, root })
      const isHeld = isHeldBack(note)
      const { matchedCount } = await logCheckpoints.updateOne(unsigned, {
        $set: isHeld ? { unwitnessed: note } : { note },
      })
      if (matchedCount > 0) return { ...checkpoint, note, isHeld }
      const stored = await find(subscriberId, size)
      if (!isSigned(stored)) throw new StorageUnavailableError('A note that was stored cannot be read yet')
      return stored
    },
    /** Adds a cosignature, and returns the checkpoint with it. The first one of a witness remains. */
    async addCosignature(
      subscriberId: string,
      checkpoint: SignedCheckpoint,
      cosignature: Cosignature,
    ): Promise<SignedCheckpoint | undefined> {
      const first = { ...own(subscriberId, checkpoint), 'cosignatures.witness': { $ne: cosignature.witness } }
      await logCheckpoints.updateOne(first, { $push: { cosignatures: cosignature } })
      const stored = await find(subscriberId, checkpoint.size)
      return isSigned(stored) ? stored : undefined
    },
    /** From now on, it is served and published. */
    async release(subscriberId: string, checkpoint: SignedCheckpoint): Promise<void> {
      const held = { ...own(subscriberId, checkpoint), unwitnessed: { $exists: true } }
      await logCheckpoints.updateOne(held, [{ $set: { note: '$unwitnessed' } }, { $unset: 'unwitnessed' }])
    },
  }
}

const signed = [{ note: { $exists: true } }, { unwitnessed: { $exists: true } }]
const own = (subscriberId: string, { size, root }: Checkpoint) => ({
  _id: toIndexKey(subscriberId, size),
  root: new Binary(root),
})

export const isSigned = (checkpoint: StoredCheckpoint | undefined): checkpoint is SignedCheckpoint =>
  checkpoint?.note !== undefined

export function toCheckpoint(document: CheckpointDocument): StoredCheckpoint {
  const { _id, root, sealedAt, unwitnessed, note = unwitnessed, cosignatures = [] } = document
  return {
    ...{ size: sizeIn(_id), root: Buffer.from(root.buffer), sealedAt },
    note: note === undefined ? undefined : note + cosignatures.map(({ line }) => line).join(''),
    isHeld: document.note === undefined && unwitnessed !== undefined,
    cosignedBy: cosignatures.map(({ witness }) => witness),
  }
}
