import { uuidToBytes } from '@herald/contracts'
import { readLimits } from '@herald/mongo'
import { Binary, type Collection } from 'mongodb'
import type { DigestDocument } from '../documents/collections.ts'

type Recipient = { readonly subscriberId: string; readonly recipientId: string }

/** The place of a digest among those of its recipient and clock hour, in UTC. The last one is that of the rest. */
export type Slot = { readonly key: Binary; readonly hour: number; readonly isRest: boolean }
/** `later`: the end of the hour, when the rest is written. */
type DigestPlace = { readonly slot: Slot } | { readonly later: Date }

const hourMs = 60 * 60 * 1_000
export const endOf = (hour: number): number => hour + hourMs
const hourOf = (time: number) => Math.floor(time / hourMs) * hourMs

/** subscriber ‖ recipient ‖ hour (8 bytes) ‖ number (4 bytes), 44 bytes. */
function slotKey({ subscriberId, recipientId }: Recipient, hour: number, number: number): Binary {
  const bytes = Buffer.alloc(44)
  bytes.set(uuidToBytes(subscriberId), 0)
  bytes.set(uuidToBytes(recipientId), 16)
  bytes.writeBigInt64BE(BigInt(hour), 32)
  bytes.writeUInt32BE(number, 40)
  return new Binary(bytes)
}

/**
 * Gives each digest of a recipient a place, of which an hour has `perHour`, however many locations others invent: two processes
 * cannot take the same one. When there is only the last one left, all wait until the hour is over and are one digest.
 */
export async function createPlaces(
  digests: Collection<DigestDocument>,
  { recipient, earliest, now, perHour }: { recipient: Recipient; earliest: number; now: Date; perHour: number },
): Promise<(dueTime: number) => DigestPlace> {
  const taken = new Set<string>()
  const slot = {
    $gte: slotKey(recipient, hourOf(earliest), 0),
    $lte: slotKey(recipient, hourOf(now.getTime()), 0xffffffff),
  }
  const found = digests.find({ slot }, { ...readLimits, hint: 'slot', projection: { slot: 1 } })
  for await (const digest of found) if (digest.slot) taken.add(digest.slot.toString('hex'))
  const isTaken = (hour: number, number: number) => taken.has(slotKey(recipient, hour, number).toString('hex'))
  const rests = new Map<number, Slot>()

  return (dueTime) => {
    const due = hourOf(dueTime)
    const rest = rests.get(due)
    if (rest) return { slot: rest }
    // The present hour has what comes after the rest of an earlier one.
    const hour = isTaken(due, perHour) ? hourOf(now.getTime()) : due
    for (let number = 1; number < perHour; number++) {
      if (isTaken(hour, number)) continue
      const key = slotKey(recipient, hour, number)
      taken.add(key.toString('hex'))
      return { slot: { key, hour, isRest: false } }
    }
    if (now.getTime() < endOf(hour) || isTaken(hour, perHour)) return { later: new Date(endOf(hour)) }
    const last = { key: slotKey(recipient, hour, perHour), hour, isRest: true }
    rests.set(hour, last)
    return { slot: last }
  }
}
