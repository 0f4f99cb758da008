import { bytesToUuid, type MuteKind, writeUuid } from '@herald/contracts'
import { type FindFew, findFew, inBatches, readLimits, runCommand } from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { FeedCollections, MuteDocument } from '../documents/collections.ts'
import type { Muted, NewNotification } from '../documents/notification-document.ts'
import { muteKey, muteTargetBytes, writeMuteTarget } from './mute-key.ts'

/** Finds who has muted the location or the actor of notifications that are about to be stored. */
export type FindMuted = (
  notifications: readonly NewNotification[],
  find: FindFew,
) => Promise<ReadonlyMap<NewNotification, Muted>>

const keysPerQuery = 10_000
const ownerBytes = 32
const fewOwners = 100
const mutesOfFew = 1_000
const none: ReadonlyMap<NewNotification, Muted> = new Map()

/**
 * Reads what a few recipients have muted. Of more recipients, or of more mutes than {@link mutesOfFew}, looks who has muted anything,
 * and then at the keys that their mutes would have, so that the work depends on the recipients and not on who else has muted it. Not
 * cached: a mute holds as soon as it is stored.
 */
export function createFindMuted({ mutes }: Pick<FeedCollections, 'mutes'>, now: () => Date): FindMuted {
  const { db, collectionName } = mutes
  /** Until somebody has muted something, one look at the empty collection spares thousands of keys. */
  let isUsed = false

  /** Recipients, by subscriber and user as text. */
  const findMuting = async (notifications: readonly NewNotification[]): Promise<ReadonlySet<string>> => {
    const muting = new Set<string>()
    for (const owners of inBatches(ownersOf(notifications), keysPerQuery)) {
      const command = { distinct: collectionName, key: 'user', query: { user: { $in: owners } }, ...readLimits }
      const { values } = (await runCommand(db, command)) as { values: readonly Binary[] }
      for (const { buffer } of values) muting.add(bytesToUuid(buffer) + bytesToUuid(buffer, 16))
    }
    return muting
  }

  const findByKeys = async (notifications: readonly NewNotification[]): Promise<readonly MuteDocument[]> => {
    const muting = await findMuting(notifications)
    const found: MuteDocument[] = []
    for (const keys of inBatches(keysOf(notifications, muting), keysPerQuery)) {
      const filter = { _id: { $in: keys } }
      found.push(...(await findFew(mutes, { filter, hint: '_id_', projection: { until: 1 }, limit: keys.length })))
    }
    return found
  }

  const findOf = async (notifications: readonly NewNotification[], find: FindFew): Promise<readonly MuteDocument[]> => {
    const owners = notifications.reduce((sum, { recipientIds }) => sum + recipientIds.length, 0)
    if (owners <= fewOwners) {
      const filter = { user: { $in: [...ownersOf(notifications)] } }
      const found = await find(mutes, { filter, projection: { until: 1 }, limit: mutesOfFew + 1 })
      return found.length <= mutesOfFew ? found : findByKeys(notifications)
    }
    isUsed ||= (await find(mutes, { limit: 1, projection: { _id: 1 } })).length > 0
    return isUsed ? findByKeys(notifications) : []
  }

  return async (notifications, find) => {
    const found = await findOf(notifications, find)
    const at = now()
    const holding = found.filter(({ until }) => until === undefined || until > at)
    return holding.length === 0 ? none : byNotification(notifications, holding, at)
  }
}

/** As bytes, which the driver serializes as it does a `Binary`. */
function* ownersOf(notifications: readonly NewNotification[]): Generator<Uint8Array> {
  for (const { subscriberId, recipientIds } of notifications) {
    const bytes = Buffer.allocUnsafe(ownerBytes * recipientIds.length)
    let at = 0
    for (const recipientId of recipientIds) {
      if (at === 0) writeUuid(bytes, subscriberId, 0)
      else bytes.copyWithin(at, 0, 16)
      writeUuid(bytes, recipientId, at + 16)
      yield bytes.subarray(at, at + ownerBytes)
      at += ownerBytes
    }
  }
}

function* keysOf(notifications: readonly NewNotification[], muting: ReadonlySet<string>): Generator<Binary> {
  for (const { subscriberId, locationId, actor, recipientIds } of muting.size === 0 ? [] : notifications) {
    for (const recipientId of recipientIds) {
      if (!muting.has(subscriberId + recipientId)) continue
      yield muteKey(subscriberId, 'location', locationId, recipientId)
      yield muteKey(subscriberId, 'actor', actor.id, recipientId)
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
