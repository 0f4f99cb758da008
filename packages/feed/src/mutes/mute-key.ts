import { bytesToUuid, type MuteKind, writeUuid } from '@herald/contracts'
import { greatestId, leastId } from '@herald/mongo'
import { Binary } from 'mongodb'

/** subscriber ‖ kind ‖ target, and then the user. */
export const muteTargetBytes = 33
const muteKeyBytes = muteTargetBytes + 16

const kindBytes = { location: 1, actor: 2 } as const satisfies Record<MuteKind, number>

/** Writes the key of a mute, without the user, and returns the offset at which the user is. */
export function writeMuteTarget(bytes: Buffer, at: number, subscriberId: string, kind: MuteKind, id: string): number {
  writeUuid(bytes, subscriberId, at)
  bytes[at + 16] = kindBytes[kind]
  writeUuid(bytes, id, at + 17)
  return at + muteTargetBytes
}

export function muteKey(subscriberId: string, kind: MuteKind, id: string, userId: string): Binary {
  const bytes = Buffer.alloc(muteKeyBytes)
  writeUuid(bytes, userId, writeMuteTarget(bytes, 0, subscriberId, kind, id))
  return new Binary(bytes)
}

/** The mutes of a target, by all users. */
export const mutesOfTarget = (subscriberId: string, kind: MuteKind, id: string) => ({
  $gte: muteKey(subscriberId, kind, id, leastId),
  $lte: muteKey(subscriberId, kind, id, greatestId),
})

/** All mutes of a subscriber: keeps a query on its shards. */
export const mutesOfSubscriber = (subscriberId: string) => ({
  $gte: muteKey(subscriberId, 'location', leastId, leastId),
  $lte: muteKey(subscriberId, 'actor', greatestId, greatestId),
})

export function readMuteKey({ buffer }: Binary): { readonly kind: MuteKind; readonly id: string } {
  return { kind: buffer[16] === kindBytes.location ? 'location' : 'actor', id: bytesToUuid(buffer, 17) }
}
