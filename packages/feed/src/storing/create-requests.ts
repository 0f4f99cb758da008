import { createHash } from 'node:crypto'
import { limits } from '@herald/contracts'
import {
  createFence,
  heldUntil,
  insertWithinMs,
  isDuplicateKey,
  type MonotonicClock,
  readLimits,
  toKey,
} from '@herald/mongo'
import { Binary, type Collection } from 'mongodb'
import { type CreateRequestDocument, erasedRequest } from '../documents/collections.ts'
import { fromRequestContent, type NewNotification, toRequestContent } from '../documents/notification-document.ts'

type RequestKey = { readonly subscriberId: string; readonly userId: string; readonly idempotencyKey: string }

/** The state of a request: reserved for this caller, finished, in progress elsewhere, sent with another body, or erased. */
export type Reservation =
  | {
      readonly kind: 'reserved'
      readonly notification: NewNotification
      finish(): Promise<void>
      release(): Promise<void>
      erase(): Promise<void>
    }
  | { readonly kind: 'finished'; readonly notification: NewNotification }
  | { readonly kind: 'in-progress'; readonly until: Date }
  | { readonly kind: 'other-body' }
  /** A person in the first request was erased, and the response with them. */
  | { readonly kind: 'erased' }

export type CreateRequests = {
  /**
   * Reserves a request before any of it is stored. The notification is fixed here, including id and time: a process that
   * takes over after a crash gets the first one and completes it.
   *
   * @param bodyHash SHA-256 of the body as a JSON value
   */
  reserve(key: RequestKey, bodyHash: Buffer, notification: NewNotification, now: Date): Promise<Reservation>
}

export function createCreateRequests(
  collection: Collection<CreateRequestDocument>,
  clock?: MonotonicClock,
): CreateRequests {
  const reserved = (_id: Binary, content: string, leaseUntil: Date): Reservation => ({
    kind: 'reserved',
    notification: fromRequestContent(content),
    finish: async () => void (await collection.updateOne({ _id }, { $set: { done: true } })),
    erase: async () => void (await collection.updateOne({ _id }, { $set: { ...erasedRequest, done: true } })),
    // Releases only its own lease: once that has expired, another process may hold the next one.
    release: async () => void (await collection.updateOne({ _id, leaseUntil }, { $set: { leaseUntil: new Date(0) } })),
  })

  return {
    async reserve({ subscriberId, userId, idempotencyKey }, bodyHash, notification, now) {
      const fence = createFence(insertWithinMs, clock)
      const keyHash = createHash('sha256').update(idempotencyKey).digest()
      const _id = new Binary(Buffer.concat([toKey(subscriberId, userId).buffer, keyHash]))
      const leaseUntil = new Date(now.getTime() + limits.idempotencyLeaseMs)
      const expiresAt = new Date(now.getTime() + limits.idempotencyKeptMs)
      const request = {
        _id,
        v: 1,
        bodyHash: new Binary(bodyHash),
        content: toRequestContent(notification),
        done: false,
        leaseUntil,
        expiresAt,
      } as const
      // Two rounds, because an expired request may remain until the TTL monitor deletes it.
      for (let round = 0; round < 2; round++) {
        try {
          await fence(() => collection.insertOne({ ...request }))
          return reserved(_id, request.content, leaseUntil)
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
        if (first.done) return { kind: 'finished', notification: fromRequestContent(first.content) }
        const held = heldUntil(now, limits.idempotencyLeaseMs)
        if (first.leaseUntil > held.$gt && first.leaseUntil <= held.$lte) {
          return { kind: 'in-progress', until: first.leaseUntil }
        }
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
