import { createHash } from 'node:crypto'
import { limits } from '@herald/contracts'
import { Binary, type Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import { readLimits } from '../reading/read-limits.ts'
import { isDuplicateKey } from '../storage-errors.ts'

/** An idempotency key and the user who sent it. */
type RequestKey = { readonly subscriberId: string; readonly userId: string; readonly idempotencyKey: string }

/** A `POST /` with an `Idempotency-Key`, and the content to create for it. */
export type CreateRequestDocument = {
  /** subscriber ‖ user ‖ SHA-256 of the key, 64 bytes. */
  _id: Binary
  v: 1
  bodyHash: Binary
  /** The content to create, in the format of the creating service; empty once it is erased. */
  content: string
  /** A person in the content was erased. */
  erased?: true
  done: boolean
  leaseUntil: Date
  expiresAt: Date
}

/** The state of a request: reserved for this caller, answered, in progress elsewhere, sent with another body, or erased. */
type Reservation =
  | {
      readonly kind: 'reserved'
      readonly content: string
      finish(): Promise<void>
      release(): Promise<void>
      /** Removes the content, instead of `finish`. */
      erase(): Promise<void>
    }
  | { readonly kind: 'answered'; readonly content: string }
  | { readonly kind: 'in-progress'; readonly until: Date }
  | { readonly kind: 'other-body' }
  | { readonly kind: 'erased' }

export type CreateRequests = {
  /**
   * Reserves a request before any of its content is stored. The content is fixed here, including id and time: a process
   * that takes over after a crash gets the first `content` and completes it.
   *
   * @param bodyHash SHA-256 of the body as a JSON value
   * @param content the content to create, in a format chosen by the caller
   */
  reserve(key: RequestKey, bodyHash: Buffer, content: string, now: Date): Promise<Reservation>
}

export function createCreateRequests(collection: Collection<CreateRequestDocument>): CreateRequests {
  const reserved = (_id: Binary, content: string, leaseUntil: Date): Reservation => ({
    kind: 'reserved',
    content,
    finish: async () => void (await collection.updateOne({ _id }, { $set: { done: true } })),
    erase: async () => void (await collection.updateOne({ _id }, { $set: { content: '', erased: true, done: true } })),
    // Releases only its own lease: once that has expired, another process may hold the next one.
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
      // Two rounds, because an expired request may remain until the TTL monitor deletes it.
      for (let round = 0; round < 2; round++) {
        try {
          await collection.insertOne({ ...request })
          return reserved(_id, content, leaseUntil)
        } catch (error) {
          if (!isDuplicateKey(error)) throw error
        }
        const first = await collection.findOne({ _id }, readLimits)
        if (!first) continue
        if (first.expiresAt <= now) {
          await collection.deleteOne({ _id, expiresAt: first.expiresAt })
          continue
        }
        if (first.erased) return { kind: 'erased' }
        if (!Buffer.from(first.bodyHash.buffer).equals(bodyHash)) return { kind: 'other-body' }
        if (first.done) return { kind: 'answered', content: first.content }
        if (first.leaseUntil > now) return { kind: 'in-progress', until: first.leaseUntil }
        const taken = await collection.updateOne(
          { _id, done: false, leaseUntil: first.leaseUntil, erased: { $exists: false } },
          { $set: { leaseUntil } },
        )
        if (taken.modifiedCount === 1) return reserved(_id, first.content, leaseUntil)
      }
      return { kind: 'in-progress', until: leaseUntil }
    },
  }
}
