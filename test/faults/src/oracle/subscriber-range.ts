import { Binary } from 'mongodb'

/** How many ids of 16 bytes follow the subscriber in the keys of a collection. */
const idsAfterSubscriber = { notifications: 2, changeEntries: 1, waitingReceipts: 3 } as const
export type OfSubscriber = keyof typeof idsAfterSubscriber

/** The filter for a subscriber's documents. The bounds are as long as the keys: MongoDB compares the lengths first. */
export function rangeOf(subscriber: Buffer, name: OfSubscriber) {
  const bound = (byte: number) =>
    new Binary(Buffer.concat([subscriber, Buffer.alloc(16 * idsAfterSubscriber[name], byte)]))
  return { _id: { $gte: bound(0), $lte: bound(0xff) } }
}
