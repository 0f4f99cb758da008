import { bytesToUuid } from '@herald/contracts'
import {
  createFence,
  type Hold,
  hasTakenTooLong,
  hex,
  inBatches,
  insertNew,
  isStorageUnavailable,
  keysUnder,
  type MonotonicClock,
  readLimits,
  toKey,
  uuidIn,
} from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { DigestDocument, FeedCollections } from '../documents/collections.ts'
import { type FanOutDocument, recipientKeys, remainingPositions } from '../documents/fan-out-document.ts'
import { boxes, fanOutKeyIn } from '../documents/notification-document.ts'
import { bytesIn } from '../documents/recipient-list.ts'
import type { EraseWritten } from '../erasures/erase-from-digests.ts'
import { keysWithin } from './keys-within.ts'
import { type DueGroup, toDigest } from './to-digest.ts'
import { readUnreadAt } from './unread-at-location.ts'

export type Digests = {
  /**
   * Writes the digests of some notifications whose time has come, the oldest first: each with everything of its location that
   * is unread, to be announced and in no digest yet. Repeating it changes nothing. Returns 0 if none is due, or as soon as
   * `hold` resolves to `false`.
   *
   * @throws Error if some could not be written; the others are, and these are due again in a minute
   */
  writeNext(now: Date, unreadAfterMs: number, hold?: Hold): Promise<number>
  isDue(now: Date): Promise<boolean>
}

export type DigestsDependencies = Pick<FeedCollections, 'fanOuts' | 'notifications' | 'digests'> & {
  /** An erasure may not have found what was just written. */
  readonly eraseWritten: EraseWritten
  readonly now: () => Date
  readonly clock?: MonotonicClock | undefined
}

type DueFanOut = Pick<FanOutDocument, '_id' | 'recipients' | 'erased' | 'retractions' | 'locationId' | 'locationType'>

type When = { readonly now: Date; readonly unreadAfterMs: number }
/** Why the digests of fan-outs could not be written, by the keys of the fan-outs as text. */
type Failures = Map<string, unknown>
type Written = 'all' | 'overtaken' | 'stopped'

const fanOutsPerCall = 50
const keysPerQuery = 1_000
const groupsAtOnce = 16
const digestWithinMs = 15_000
const retryMs = 60_000

export function createDigests(dependencies: DigestsDependencies): Digests {
  const { fanOuts, notifications, digests, eraseWritten, now: serverTime, clock } = dependencies
  // One that is still being stored would have no unread recipients yet.
  const dueAt = (now: Date) => ({
    unreadAt: { $lte: now },
    $or: [{ unannounced: { $exists: false } }, { 'unannounced.stored': true as const }],
  })

  /** Returns the keys whose notifications are unread and in no digest. */
  const findUnannounced = async (keys: readonly Binary[]): Promise<Binary[]> => {
    const unread = await notifications
      .find({ box: boxes.unread, _id: { $in: [...keys] } }, { ...readLimits, hint: 'box', projection: { _id: 1 } })
      .toArray()
    const inDigests = await findInDigests(unread.map(({ _id }) => _id))
    return unread.map(({ _id }) => _id).filter((key) => !inDigests.has(hex(key)))
  }

  const findInDigests = async (keys: readonly Binary[]): Promise<Set<string>> => {
    const found = new Set<string>()
    for (const batch of inBatches(keys, keysPerQuery)) {
      const where = { notifications: { $in: batch } }
      const options = { ...readLimits, hint: 'notifications', projection: { notifications: 1 } } as const
      for await (const digest of digests.find(where, options)) {
        for (const key of digest.notifications) found.add(hex(key))
      }
    }
    return found
  }

  /** Returns the keys of one recipient that are still to be announced as unread. */
  const findPending = async (keys: readonly Binary[]): Promise<Binary[]> => {
    const inDigests = await findInDigests(keys)
    const pending: Binary[] = []
    for (const batch of inBatches(keys, keysPerQuery)) {
      const _id = { $in: batch.map((key) => toKey(uuidIn(key), uuidIn(key, 2))) }
      const found = await fanOuts
        .find({ _id, unreadAt: { $exists: true } }, { ...readLimits, projection: { _id: 1 } })
        .toArray()
      const ids = new Set(found.map((fanOut) => uuidIn(fanOut._id, 1)))
      pending.push(...batch.filter((key) => ids.has(uuidIn(key, 2)) && !inDigests.has(hex(key))))
    }
    return pending
  }

  const nextKey = async ({ subscriberId, recipientId, locationId }: DueGroup): Promise<Binary> => {
    const place = [subscriberId, recipientId, uuidIn(locationId)]
    const options = { ...readLimits, sort: { _id: -1 }, projection: { _id: 1 } } as const
    const last = await digests.findOne({ _id: keysUnder(place, 4) }, options)
    const number = Buffer.alloc(16)
    number.writeUInt32BE((last ? bytesIn(last._id).readUInt32BE(60) : 0) + 1, 12)
    return toKey(...place, bytesToUuid(number))
  }

  const writeGroup = async (group: DueGroup, _id: Binary, { now, unreadAfterMs }: When): Promise<DigestDocument[]> => {
    const unread = await readUnreadAt(dependencies, group)
    const due = new Set(group.keys.map(hex))
    const others = await findPending(unread.keys.filter((key) => !due.has(hex(key))))
    const chosen = new Set([...due, ...others.map(hex)])
    const keys = unread.keys.filter((key) => chosen.has(hex(key)))
    for (const [index, key] of keys.entries()) {
      const latest = await unread.jsonOf(key)
      // Otherwise the newest was read or retracted in the meantime.
      if (latest === undefined) continue
      const content = { _id, keys: keys.slice(index), latest, unreadCount: unread.keys.length, now, unreadAfterMs }
      return [toDigest(group, { ...content, keptFrom: serverTime() })]
    }
    return []
  }

  /** @returns whether another process wrote digests at the same time, so that they must be computed again */
  const writeGroups = async (groups: readonly DueGroup[], when: When, failures: Failures): Promise<boolean> => {
    // After a longer time, the next process may have found that there is nothing to announce any more.
    const fence = createFence(digestWithinMs, clock)
    const ids = await Promise.all(groups.map(nextKey))
    // Another process may have announced them since they were found. If it does so from now on, it uses these ids.
    const inDigests = await findInDigests(groups.flatMap(({ keys }) => keys))
    const left = groups.map((group) => ({ ...group, keys: group.keys.filter((key) => !inDigests.has(hex(key))) }))
    const write = async (group: DueGroup, index: number) => {
      if (group.keys.length === 0) return []
      try {
        return await writeGroup(group, ids[index] as Binary, when)
      } catch (error) {
        // The others would fail too, and all are tried again soon.
        if (isStorageUnavailable(error) && !hasTakenTooLong(error)) throw error
        for (const key of group.keys) failures.set(fanOutKeyIn(key), error)
        return []
      }
    }
    const written = (await Promise.all(left.map(write))).flat()
    const { duplicates } = await fence(() => insertNew(digests, written))
    await eraseWritten(written)
    return duplicates > 0
  }

  const writeFor = async (due: readonly DueFanOut[], when: When, failures: Failures, hold: Hold): Promise<Written> => {
    let written: Written = 'all'
    failures.clear()
    for (const keys of inBatches(keysIn(due), keysPerQuery)) {
      if (!(await hold())) return 'stopped'
      const groups = groupByLocation(await findUnannounced(keys), due)
      for (const batch of inBatches(groups, groupsAtOnce)) {
        if (!(await hold())) return 'stopped'
        if (await writeGroups(batch, when, failures)) written = 'overtaken'
      }
    }
    return written
  }

  /** They would be the first again, before all others. */
  const postpone = async (keys: readonly Binary[], now: Date, failures: Failures): Promise<never> => {
    const unreadAt = new Date(now.getTime() + retryMs)
    await fanOuts.updateMany({ _id: { $in: [...keys] }, unreadAt: { $exists: true } }, { $set: { unreadAt } })
    const [cause] = failures.values()
    throw new Error(`Could not write all digests of ${keys.length} notifications, retrying in a minute`, { cause })
  }

  return {
    async writeNext(now, unreadAfterMs, hold = async () => true) {
      const projection = { recipients: 1, erased: 1, retractions: 1, locationId: 1, locationType: 1 } as const
      const options = { hint: 'unread', sort: { unreadAt: 1 }, limit: fanOutsPerCall } as const
      const _id = { $in: await keysWithin(fanOuts, dueAt(now), options) }
      const due = await fanOuts.find({ _id, ...dueAt(now) }, { ...readLimits, projection }).toArray()
      if (due.length === 0) return 0
      const failures: Failures = new Map()
      let written: Written = 'overtaken'
      while (written === 'overtaken') written = await writeFor(due, { now, unreadAfterMs }, failures, hold)
      if (written === 'stopped') return 0
      const keys = due.map((fanOut) => fanOut._id)
      const hasFailed = (key: Binary) => failures.has(hex(key))
      const settled = keys.filter((key) => !hasFailed(key))
      await fanOuts.updateMany({ _id: { $in: settled } }, { $unset: { unreadAt: true } })
      if (failures.size > 0) await postpone(keys.filter(hasFailed), now, failures)
      return due.length
    },
    isDue: async (now) =>
      (await fanOuts.findOne(dueAt(now), { ...readLimits, hint: 'unread', projection: { _id: 1 } })) !== null,
  }
}

function* keysIn(due: readonly DueFanOut[]): Generator<Binary> {
  for (const fanOut of due) yield* recipientKeys(fanOut, remainingPositions(fanOut))
}

function groupByLocation(keys: readonly Binary[], due: readonly DueFanOut[]): Iterable<DueGroup> {
  const fanOutOf = new Map(due.map((fanOut) => [hex(fanOut._id), fanOut]))
  const groups = new Map<string, DueGroup & { keys: Binary[] }>()
  for (const key of keys) {
    const [subscriberId, recipientId] = [uuidIn(key), uuidIn(key, 1)]
    const { locationId, locationType } = fanOutOf.get(hex(toKey(subscriberId, uuidIn(key, 2)))) as DueFanOut
    const place = [subscriberId, recipientId, hex(locationId), locationType].join()
    const group = groups.get(place)
    if (group) group.keys.push(key)
    else groups.set(place, { subscriberId, recipientId, locationId, locationType, keys: [key] })
  }
  return groups.values()
}
