import { bytesToUuid, timeOfUuidV7 } from '@herald/contracts'
import {
  createFence,
  type Hold,
  hasTakenTooLong,
  hex,
  inBatches,
  insertNew,
  isStorageUnavailable,
  keyRange,
  keysUnder,
  leastId,
  type MonotonicClock,
  readLimits,
  toKey,
  toUuidBinary,
  uuidIn,
} from '@herald/mongo'
import { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { type FanOutDocument, recipientKeys, remainingPositions } from '../documents/fan-out-document.ts'
import { boxes, fanOutKeyIn } from '../documents/notification-document.ts'
import { bytesIn } from '../documents/recipient-list.ts'
import type { EraseWritten } from '../erasures/erase-from-digests.ts'
import { keysWithin } from './keys-within.ts'
import { createPlaces, endOf, type Slot } from './slots.ts'
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
  /** The number of digests of a recipient in an hour; the last is for the rest. */
  readonly perHour?: number | undefined
  readonly clock?: MonotonicClock | undefined
}

type DueFanOut = Pick<FanOutDocument, '_id' | 'recipients' | 'erased' | 'retractions' | 'locationId' | 'locationType'>

type When = { readonly now: Date; readonly unreadAfterMs: number }
/** Why the digests of fan-outs could not be written, by the keys of the fan-outs as text. */
type Failures = Map<string, unknown>
/** When the rest of an hour is to be written, by the keys of the fan-outs as text. */
type Later = Map<string, Date>
type Placed = { readonly group: DueGroup; readonly slot: Slot | undefined }
type Left = { readonly failures: Failures; readonly later: Later }
type Written = 'all' | 'overtaken' | 'stopped'

const fanOutsPerCall = 50
const keysPerQuery = 1_000
const groupsAtOnce = 16
const digestWithinMs = 15_000
const retryMs = 60_000
const restAtMost = 100_000
/** Stands for the location of a rest in the key of its digest. */
const noLocation = toUuidBinary(leastId)

export function createDigests(dependencies: DigestsDependencies): Digests {
  const { fanOuts, notifications, digests, eraseWritten, now: serverTime, perHour, clock } = dependencies
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

  /** Everything of a recipient that was due in the hour of the rest, and the given keys, newest first. */
  const readRest = async ({ subscriberId, recipientId, keys }: DueGroup, { hour }: Slot, unreadAfterMs: number) => {
    const range = { createdFrom: hour - unreadAfterMs, createdTo: endOf(hour) - unreadAfterMs }
    const ofHour = { box: boxes.unread, _id: keyRange([subscriberId, recipientId], range) }
    const options = { ...readLimits, hint: 'box', projection: { _id: 1 }, limit: restAtMost } as const
    const found = await notifications.find(ofHour, options).sort({ _id: -1 }).toArray()
    const due = new Set(keys.map(hex))
    const others = await findPending(found.map(({ _id }) => _id).filter((key) => !due.has(hex(key))))
    const inOrder = new Map([...keys, ...others].map((key) => [hex(key), key]))
    return [...inOrder].toSorted(([one], [other]) => (one < other ? 1 : -1)).map(([, key]) => key)
  }

  const writeGroup = async (group: DueGroup, _id: Binary, slot: Slot | undefined, when: When) => {
    const { now, unreadAfterMs } = when
    const unread = await readUnreadAt(dependencies, group)
    const due = new Set(group.keys.map(hex))
    const findAtPlace = async () => {
      const others = await findPending(unread.keys.filter((key) => !due.has(hex(key))))
      const chosen = new Set([...due, ...others.map(hex)])
      return unread.keys.filter((key) => chosen.has(hex(key)))
    }
    const keys = slot?.isRest ? await readRest(group, slot, unreadAfterMs) : await findAtPlace()
    for (const [index, key] of keys.entries()) {
      const latest = await unread.jsonOf(key)
      // Otherwise the newest was read or retracted in the meantime.
      if (latest === undefined) continue
      const unreadCount = slot?.isRest ? 0 : unread.keys.length
      const content = { _id, keys: keys.slice(index), latest, unreadCount, now, unreadAfterMs, slot }
      return [toDigest(group, { ...content, keptFrom: serverTime() })]
    }
    return []
  }

  /** The digests of a recipient to write now, those of one rest joined, each with its place. Notes when the others are to be written. */
  const findPlaces = async (groups: readonly DueGroup[], { now, unreadAfterMs }: When, later: Later) => {
    if (perHour === undefined) return groups.map((group) => ({ group, slot: undefined }))
    const timeOf = ({ keys }: DueGroup) =>
      Math.min(...keys.map((key) => timeOfUuidV7(uuidIn(key, 2)) ?? now.getTime())) + unreadAfterMs
    const inOrder = groups.toSorted((one, other) => timeOf(one) - timeOf(other))
    const [recipient] = inOrder as [DueGroup]
    const placeOf = await createPlaces(digests, { recipient, earliest: timeOf(recipient), now, perHour })
    const placed = new Map<Slot, Placed>()
    for (const group of inOrder) {
      const place = placeOf(timeOf(group))
      if ('later' in place) {
        for (const key of group.keys.map(fanOutKeyIn)) later.set(key, earlierOf(later.get(key), place.later))
        continue
      }
      const { slot } = place
      const keys = [...(placed.get(slot)?.group.keys ?? []), ...group.keys]
      placed.set(slot, { slot, group: slot.isRest ? { ...group, locationId: noLocation, keys } : group })
    }
    return [...placed.values()]
  }

  /** @returns whether another process wrote digests at the same time, so that they must be computed again */
  const writePlaced = async (placed: readonly Placed[], when: When, failures: Failures): Promise<boolean> => {
    // After a longer time, the next process may have found that there is nothing to announce any more.
    const fence = createFence(digestWithinMs, clock)
    const ids = await Promise.all(placed.map(({ group }) => nextKey(group)))
    // Another process may have announced them since they were found. If it does so from now on, it uses these ids.
    const inDigests = await findInDigests(placed.flatMap(({ group }) => group.keys))
    const write = async ({ group: found, slot }: Placed, index: number) => {
      const group = { ...found, keys: found.keys.filter((key) => !inDigests.has(hex(key))) }
      if (group.keys.length === 0) return []
      try {
        return await writeGroup(group, ids[index] as Binary, slot, when)
      } catch (error) {
        // The others would fail too, and all are tried again soon.
        if (isStorageUnavailable(error) && !hasTakenTooLong(error)) throw error
        for (const key of group.keys) failures.set(fanOutKeyIn(key), error)
        return []
      }
    }
    const written = (await Promise.all(placed.map(write))).flat()
    const { duplicates } = await fence(() => insertNew(digests, written))
    await eraseWritten(written)
    return duplicates > 0
  }

  /** The rest of an hour is found when the others are stored. */
  const writeGroups = async (groups: readonly DueGroup[], when: When, { failures, later }: Left): Promise<boolean> => {
    const ofRecipients = Map.groupBy(groups, (one) => `${one.subscriberId}/${one.recipientId}`)
    const found = [...ofRecipients.values()].map((ofOne) => findPlaces(ofOne, when, later))
    const placed: readonly Placed[] = (await Promise.all(found)).flat()
    const rests = placed.filter(({ slot }) => slot?.isRest)
    const others = placed.filter((one) => !rests.includes(one))
    if (await writePlaced(others, when, failures)) return true
    return rests.length > 0 && writePlaced(rests, when, failures)
  }

  const writeFor = async (due: readonly DueFanOut[], when: When, left: Left, hold: Hold): Promise<Written> => {
    let written: Written = 'all'
    left.failures.clear()
    left.later.clear()
    for (const keys of inBatches(keysIn(due), keysPerQuery)) {
      if (!(await hold())) return 'stopped'
      const groups = groupByLocation(await findUnannounced(keys), due)
      for (const batch of inBatches(groups, groupsAtOnce)) {
        if (!(await hold())) return 'stopped'
        if (await writeGroups(batch, when, left)) written = 'overtaken'
      }
    }
    return written
  }

  const putOff = async (later: Later): Promise<void> => {
    for (const [time, some] of Map.groupBy(later, ([, until]) => until.getTime())) {
      const keys = some.map(([key]) => Binary.createFromHexString(key))
      await fanOuts.updateMany(
        { _id: { $in: keys }, unreadAt: { $exists: true } },
        { $set: { unreadAt: new Date(time) } },
      )
    }
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
      const later: Later = new Map()
      let written: Written = 'overtaken'
      while (written === 'overtaken') written = await writeFor(due, { now, unreadAfterMs }, { failures, later }, hold)
      if (written === 'stopped') return 0
      const keys = due.map((fanOut) => fanOut._id)
      const hasFailed = (key: Binary) => failures.has(hex(key))
      const settled = keys.filter((key) => !hasFailed(key) && !later.has(hex(key)))
      await putOff(later)
      await fanOuts.updateMany({ _id: { $in: settled } }, { $unset: { unreadAt: true } })
      if (failures.size > 0) await postpone(keys.filter(hasFailed), now, failures)
      return due.length
    },
    isDue: async (now) =>
      (await fanOuts.findOne(dueAt(now), { ...readLimits, hint: 'unread', projection: { _id: 1 } })) !== null,
  }
}

const earlierOf = (known: Date | undefined, time: Date): Date => (known !== undefined && known < time ? known : time)

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
