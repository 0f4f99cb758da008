import { bytesToUuid, type MuteKind, writeUuid } from '@herald/contracts'
import { Binary } from 'mongodb'
import { runCommand } from '../connection/run-command.ts'
import { inBatches } from '../documents/batches.ts'
import type { Collections, MuteDocument } from '../documents/collections.ts'
import type { Muted, NewNotification } from '../documents/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { muteKeyBytes, muteTargetBytes, writeMuteTarget } from './mute-key.ts'

/** Finds who has muted the location or the actor of notifications that are about to be stored. */
export type FindMuted = (notifications: readonly NewNotification[]) => Promise<ReadonlyMap<NewNotification, Muted>>

const keysPerQuery = 10_000
const none: ReadonlyMap<NewNotification, Muted> = new Map()

/**
 * By the keys that its recipients’ mutes would have, so that the work depends on the recipients and not on who else has muted it.
 * Not cached: a mute holds as soon as it is stored.
 */
export function createFindMuted({ mutes }: Pick<Collections, 'mutes'>, now: () => Date): FindMuted {
  const { db, collectionName: find } = mutes

  const findThose = async (keys: readonly Binary[]): Promise<readonly MuteDocument[]> => {
    const filter = { _id: { $in: keys } }
    const command = { find, filter, hint: '_id_', projection: { until: 1 }, batchSize: keys.length + 1, ...readLimits }
    return (await runCommand(db, command)).cursor.firstBatch
  }

  return async (notifications) => {
    const found: MuteDocument[] = []
    for (const keys of inBatches(keysOf(notifications), keysPerQuery)) found.push(...(await findThose(keys)))
    const at = now()
    const holding = found.filter(({ until }) => until === undefined || until > at)
    return holding.length === 0 ? none : byNotification(notifications, holding, at)
  }
}

function* keysOf(notifications: readonly NewNotification[]): Generator<Binary> {
  for (const { subscriberId, locationId, actor, recipientIds } of notifications) {
    const bytes = Buffer.allocUnsafe(2 * recipientIds.length * muteKeyBytes)
    let at = 0
    for (const [kind, id] of [
      ['location', locationId],
      ['actor', actor.id],
    ] as const) {
      const start = at
      for (const recipientId of recipientIds) {
        if (at === start) writeMuteTarget(bytes, at, subscriberId, kind, id)
        else bytes.copy(bytes, at, start, start + muteTargetBytes)
        writeUuid(bytes, recipientId, at + muteTargetBytes)
        yield new Binary(bytes.subarray(at, at + muteKeyBytes))
        at += muteKeyBytes
      }
    }
  }
}

function byNotification(
  notifications: readonly NewNotification[],
  found: readonly MuteDocument[],
  at: Date,
): ReadonlyMap<NewNotification, Muted> {
  const usersOf = new Map<string, Set<string>>()
  for (const { _id } of found) {
    const target = targetText(_id.buffer)
    const users = usersOf.get(target) ?? new Set()
    usersOf.set(target, users.add(bytesToUuid(_id.buffer, muteTargetBytes)))
  }
  const target = Buffer.alloc(muteTargetBytes)
  const mutedBy = (subscriberId: string, kind: MuteKind, id: string) => {
    writeMuteTarget(target, 0, subscriberId, kind, id)
    return usersOf.get(targetText(target))
  }
  const muted = new Map<NewNotification, Muted>()
  for (const notification of notifications) {
    const { subscriberId, locationId, actor } = notification
    const location = mutedBy(subscriberId, 'location', locationId)
    const byActor = mutedBy(subscriberId, 'actor', actor.id)
    if (!location && !byActor) continue
    const recipientIds = notification.recipientIds.filter((id) => location?.has(id) || byActor?.has(id))
    if (recipientIds.length > 0) muted.set(notification, { at, recipientIds: new Set(recipientIds) })
  }
  return muted
}

const targetText = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, muteTargetBytes).toString('latin1')
