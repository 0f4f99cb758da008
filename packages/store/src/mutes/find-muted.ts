import { bytesToUuid, type MuteKind, writeUuid } from '@herald/contracts'
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
  /** Until somebody has muted something, one look at the empty collection spares thousands of keys. */
  let isUsed = false

  const run = async (command: object): Promise<readonly MuteDocument[]> =>
    (await runCommand(db, { find, ...command, ...readLimits })).cursor.firstBatch

  const findThose = (keys: readonly Uint8Array[]) =>
    run({ filter: { _id: { $in: keys } }, hint: '_id_', projection: { until: 1 }, batchSize: keys.length + 1 })

  return async (notifications) => {
    isUsed ||= (await run({ limit: 1, projection: { _id: 1 } })).length > 0
    if (!isUsed) return none
    const found: MuteDocument[] = []
    for (const keys of inBatches(keysOf(notifications), keysPerQuery)) found.push(...(await findThose(keys)))
    const at = now()
    const holding = found.filter(({ until }) => until === undefined || until > at)
    return holding.length === 0 ? none : byNotification(notifications, holding, at)
  }
}

/** As bytes, which the driver serializes as it does a `Binary`. */
function* keysOf(notifications: readonly NewNotification[]): Generator<Uint8Array> {
  for (const { subscriberId, locationId, actor, recipientIds } of notifications) {
    const bytes = Buffer.allocUnsafe(2 * recipientIds.length * muteKeyBytes)
    writeMuteTarget(bytes, 0, subscriberId, 'location', locationId)
    writeMuteTarget(bytes, muteKeyBytes, subscriberId, 'actor', actor.id)
    for (let at = 0; at < bytes.length; at += 2 * muteKeyBytes) {
      if (at > 0) bytes.copyWithin(at, 0, 2 * muteKeyBytes)
      const userAt = at + muteTargetBytes
      writeUuid(bytes, recipientIds[at / (2 * muteKeyBytes)] as string, userAt)
      bytes.copyWithin(userAt + muteKeyBytes, userAt, at + muteKeyBytes)
      yield bytes.subarray(at, at + muteKeyBytes)
      yield bytes.subarray(at + muteKeyBytes, at + 2 * muteKeyBytes)
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
