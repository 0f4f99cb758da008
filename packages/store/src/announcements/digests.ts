import type { Binary, Collection } from 'mongodb'
import { toKey, uuidIn } from '../binary.ts'
import { createEraseWritten } from '../erasures/erase-from-digests.ts'
import type { ErasedPersons } from '../erasures/erased-persons.ts'
import { type FanOutDocument, gonePositions } from '../fan-outs/fan-out-document.ts'
import { inBatches } from '../fan-outs/in-batches.ts'
import { bytesIn, positionsOf } from '../fan-outs/recipient-list.ts'
import { recipientKeys } from '../fan-outs/remove-retracted.ts'
import { insertNew } from '../insert-new.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { DigestDocument } from './digest-document.ts'
import { type DueGroup, toDigest } from './to-digest.ts'
import { readUnreadAt } from './unread-at-location.ts'

/** Announcements of notifications that stay unread. */
export type Digests = {
  /**
   * Writes the digests of some notifications whose time has come, the oldest first. Each digest contains everything of its
   * location that the recipient has not read, that is to be announced and is not in a digest yet. Repeating it changes
   * nothing.
   *
   * @returns the number of notifications whose recipients were examined; 0 if none is due
   */
  writeNext(now: Date, unreadAfterMs: number): Promise<number>
  isDue(now: Date): Promise<boolean>
}

export type DigestsDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly notifications: Collection<NotificationDocument>
  readonly digests: Collection<DigestDocument>
  readonly erasedPersons: ErasedPersons
}

type DueFanOut = Pick<FanOutDocument, '_id' | 'recipients' | 'erased' | 'takenBack' | 'locationId' | 'locationType'>

/** Of at most 200 KB each. */
const fanOutsPerCall = 50
const keysPerQuery = 1_000
const groupsAtOnce = 16
const hex = (binary: Binary) => binary.toString('hex')

export function createDigests({ fanOuts, notifications, digests, erasedPersons }: DigestsDependencies): Digests {
  const eraseWritten = createEraseWritten(digests, erasedPersons)
  // One that is still being stored would have no unread recipients yet.
  const dueAt = (now: Date) => ({
    unreadAt: { $lte: now },
    $or: [{ unannounced: { $exists: false } }, { 'unannounced.stored': true as const }],
  })

  /** Those of the keys whose notifications are unread and in no digest. */
  const findUnannounced = async (keys: readonly Binary[]): Promise<Binary[]> => {
    const unread = await notifications
      .find({ unread: true, _id: { $in: [...keys] } }, { ...readLimits, hint: 'unread', projection: { _id: 1 } })
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

  /** Those of one recipient's keys that are still to be announced as unread. */
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

  const writeGroup = async (group: DueGroup, now: Date, unreadAfterMs: number): Promise<DigestDocument[]> => {
    const unread = await readUnreadAt(notifications, group)
    const due = new Set(group.keys.map(hex))
    const others = await findPending(unread.keys.filter((key) => !due.has(hex(key))))
    const chosen = new Set([...due, ...others.map(hex)])
    const keys = unread.keys.filter((key) => chosen.has(hex(key)))
    for (const [index, key] of keys.entries()) {
      const latest = await unread.jsonOf(key)
      // Otherwise the newest was read or retracted in the meantime.
      if (latest === undefined) continue
      const content = { keys: keys.slice(index), latest, unreadCount: unread.count, now, unreadAfterMs }
      return [toDigest(group, content)]
    }
    return []
  }

  const writeFor = async (due: readonly DueFanOut[], now: Date, unreadAfterMs: number): Promise<void> => {
    for (const keys of inBatches(keysIn(due), keysPerQuery)) {
      const groups = groupByLocation(await findUnannounced(keys), due)
      for (const batch of inBatches(groups, groupsAtOnce)) {
        const written = await Promise.all(batch.map((group) => writeGroup(group, now, unreadAfterMs)))
        await insertNew(digests, written.flat())
        await eraseWritten(written.flat())
      }
    }
  }

  return {
    async writeNext(now, unreadAfterMs) {
      const projection = { recipients: 1, erased: 1, takenBack: 1, locationId: 1, locationType: 1 } as const
      const options = { ...readLimits, hint: 'unread', sort: { unreadAt: 1 }, limit: fanOutsPerCall } as const
      const due = await fanOuts.find(dueAt(now), { ...options, projection }).toArray()
      if (due.length === 0) return 0
      await writeFor(due, now, unreadAfterMs)
      await fanOuts.updateMany({ _id: { $in: due.map(({ _id }) => _id) } }, { $unset: { unreadAt: true } })
      return due.length
    },
    isDue: async (now) =>
      (await fanOuts.findOne(dueAt(now), { ...readLimits, hint: 'unread', projection: { _id: 1 } })) !== null,
  }
}

function* keysIn(due: readonly DueFanOut[]): Generator<Binary> {
  for (const fanOut of due) {
    const gone = gonePositions(fanOut)
    const left = positionsOf(bytesIn(fanOut.recipients), undefined).filter((position) => !gone.has(position))
    yield* recipientKeys(fanOut, left)
  }
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
