import { createHash } from 'node:crypto'
import { limits } from '@herald/contracts'
import { Binary, type Collection, MongoServerError } from 'mongodb'
import { toKey } from './binary.ts'
import { readLimits } from './read-limits.ts'

/** Who asked, with which key. */
export type RequestKey = { readonly subscriberId: string; readonly userId: string; readonly idempotencyKey: string }

/** A `POST /` with an `Idempotency-Key`: what was asked, and what is made of it. */
export type CreateRequestDocument = {
  /** subscriber ‖ user ‖ SHA-256 of the key, 64 bytes. */
  _id: Binary
  v: 1
  bodyHash: Binary
  /** What is to be made, in the form that the creating service gave it. */
  content: string
  done: boolean
  leaseUntil: Date
  expiresAt: Date
}

/** What is known of a request when it comes: it may go on, was answered, is being worked on, or was another one. */
export type Reservation =
  | { readonly kind: 'reserved'; readonly content: string; finish(): Promise<void>; release(): Promise<void> }
  | { readonly kind: 'answered'; readonly content: string }
  | { readonly kind: 'in-progress'; readonly until: Date }
  | { readonly kind: 'other-body' }

export type CreateRequests = {
  /**
   * Reserves a request before anything of it is stored. What is to be made is fixed here, id and time in it: who takes over
   * after a crash gets the first one's `content` and completes that.
   *
   * @param bodyHash SHA-256 of the body as a JSON value
   * @param content what will be made, in a form of the caller's
   */
  reserve(key: RequestKey, bodyHash: Buffer, content: string, now: Date): Promise<Reservation>
}

const duplicateKey = 11_000

export function createCreateRequests(collection: Collection<CreateRequestDocument>): CreateRequests {
  const reserved = (_id: Binary, content: string, leaseUntil: Date): Reservation => ({
    kind: 'reserved',
    content,
    finish: async () => void (await collection.updateOne({ _id }, { $set: { done: true } })),
    // Only our own lease: after it has run out, another may hold the next one.
    release: async () => void (await collection.updateOne({ _id, leaseUntil }, { $set: { leaseUntil: new Date(0) } })),
  })

  return {
    async reserve({ subscriberId, userId, idempotencyKey }, bodyHash, content, now) {
      const keyHash = createHash('sha256').update(idempotencyKey).digest()
      const _id = new Binary(Buffer.concat([toKey(subscriberId, userId).buffer, keyHash]))
      const leaseUntil = new Date(now.getTime() + limits.idempotencyLeaseMs)
      const expiresAt = new Date(now.getTime() + limits.idempotencyKeptMs)
      const request = {
        _id,
        v: 1,
        bodyHash: new Binary(bodyHash),
        content,
        done: false,
        leaseUntil,
        expiresAt,
      } as const
      // Two rounds: an expired one may stand in the way until the TTL monitor comes round.
      for (let round = 0; round < 2; round++) {
        try {
          await collection.insertOne({ ...request })
          return reserved(_id, content, leaseUntil)
        } catch (error) {
          if (!(error instanceof MongoServerError && error.code === duplicateKey)) throw error
        }
        const first = await collection.findOne({ _id }, readLimits)
        if (!first) continue
        if (first.expiresAt <= now) {
          await collection.deleteOne({ _id, expiresAt: first.expiresAt })
          continue
        }
        if (!Buffer.from(first.bodyHash.buffer).equals(bodyHash)) return { kind: 'other-body' }
        if (first.done) return { kind: 'answered', content: first.content }
        if (first.leaseUntil > now) return { kind: 'in-progress', until: first.leaseUntil }
        const taken = await collection.updateOne(
          { _id, done: false, leaseUntil: first.leaseUntil },
          { $set: { leaseUntil } },
        )
        if (taken.modifiedCount === 1) return reserved(_id, first.content, leaseUntil)
      }
      return { kind: 'in-progress', until: leaseUntil }
    },
  }
}
