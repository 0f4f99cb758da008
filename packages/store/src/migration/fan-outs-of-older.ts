import { Binary, type Collection, type Db, type Filter } from 'mongodb'
import type { FanOutDocument } from '../fan-outs/fan-out-document.ts'
import { inBatches } from '../fan-outs/in-batches.ts'
import { bytesIn } from '../fan-outs/recipient-list.ts'
import { insertNew } from '../insert-new.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'

/** How far it got: notifications read, and then fan-outs written. */
export type FanOutProgress = { readonly phase: 'reading' | 'writing' | 'done'; readonly count: number }

export type MissingFanOuts = {
  /** Whether notifications of an earlier release may still have no fan-out. */
  isOutstanding(): Promise<boolean>
  /** Does the next step, bounded in time and memory. Continues after the last one, in any process. */
  step(): Promise<FanOutProgress>
}

/** The state of the migration, in `migrations`. */
type MigrationDocument = {
  _id: string
  v: 1
  phase: FanOutProgress['phase']
  count: number
  /** The last key of the phase that was handled. */
  after?: Binary
}

/** A recipient of a notification without fan-out: subscriber ‖ notification id ‖ recipient, 48 bytes. */
type FoundRecipient = { _id: Binary }

export type MissingFanOutsDependencies = {
  readonly migrations: Collection<MigrationDocument>
  /** Sorts the recipients by notification; empty before and afterwards. */
  readonly found: Collection<FoundRecipient>
  readonly notifications: Collection<NotificationDocument>
  readonly fanOuts: Collection<FanOutDocument>
  /** Applies retractions and erasures to the notifications of fan-outs that were just written. */
  readonly applyTombstones: (fanOuts: readonly FanOutDocument[]) => Promise<void>
  readonly documentsPerStep?: number | undefined
}

const migration = 'fan-outs'
const lookupsAtOnce = 16

export const migrationsIn = (database: Db): Collection<MigrationDocument> => database.collection('migrations')
export const foundRecipientsIn = (database: Db): Collection<FoundRecipient> => database.collection('fan-out-migration')

/** A database without notifications has none to migrate. */
export async function noteIfNothingToMigrate(database: Db): Promise<void> {
  const migrations = migrationsIn(database)
  if ((await migrations.findOne({ _id: migration })) !== null) return
  if ((await database.collection('notifications').findOne({}, { projection: { _id: 1 } })) !== null) return
  await insertNew(migrations, [{ _id: migration, v: 1, phase: 'done', count: 0 }])
}

/**
 * Writes the fan-outs of notifications that an earlier release stored. The recipients of a notification are in as many
 * feeds, so all feeds are read once and the recipients sorted by notification in a collection, from which the fan-outs are
 * then written. Nothing in them is due.
 */
export function createMissingFanOuts(dependencies: MissingFanOutsDependencies): MissingFanOuts {
  const { migrations, found, notifications, fanOuts, applyTombstones, documentsPerStep = 5_000 } = dependencies

  const load = async (): Promise<MigrationDocument> =>
    (await migrations.findOne({ _id: migration }, readLimits)) ?? { _id: migration, v: 1, phase: 'reading', count: 0 }

  const save = async ({ _id, ...state }: MigrationDocument): Promise<FanOutProgress> => {
    await migrations.replaceOne({ _id }, state, { upsert: true })
    return { phase: state.phase, count: state.count }
  }

  async function nextOf<T extends { _id: Binary }>(collection: Collection<T>, after: Binary | undefined) {
    const range = (after === undefined ? {} : { _id: { $gt: after } }) as Filter<T>
    return collection
      .find(range, { ...readLimits, projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(documentsPerStep)
      .toArray()
  }

  async function read(state: MigrationDocument): Promise<FanOutProgress> {
    const keys = (await nextOf(notifications, state.after)).map(({ _id }) => _id as Binary)
    const byFanOut = Map.groupBy(keys, (key) => hex(fanOutKey(key)))
    const present = new Set<string>()
    for (const batch of inBatches(byFanOut.keys(), 1_000)) {
      const where = { _id: { $in: batch.map((key) => Binary.createFromHexString(key)) } }
      for (const { _id } of await fanOuts.find(where, { ...readLimits, projection: { _id: 1 } }).toArray()) {
        present.add(hex(_id))
      }
    }
    const missing = [...byFanOut].flatMap(([fanOut, ofOne]) => (present.has(fanOut) ? [] : ofOne))
    if (missing.length > 0) await insertNew<FoundRecipient>(found, missing.map(toFound))
    const count = state.count + keys.length
    if (keys.length === documentsPerStep) return save({ ...state, count, after: keys.at(-1) as Binary })
    return save({ _id: migration, v: 1, phase: 'writing', count: 0 })
  }

  /** Of a notification only its fan-out's fields are read, from any of its documents. */
  async function toFanOut(recipients: readonly FoundRecipient[]): Promise<FanOutDocument | undefined> {
    for (const { _id: key } of recipients) {
      const projection = { createdAt: 1, locationId: 1, locationType: 1, actorId: 1, subjectId: 1 }
      const one = await notifications.findOne({ _id: notificationKey(key) }, { ...readLimits, projection })
      if (one === null) continue
      const { createdAt, locationId, locationType, actorId, subjectId } = one
      const list = Buffer.concat(recipients.map(({ _id }) => bytesIn(_id).subarray(32)))
      const _id = new Binary(bytesIn(key).subarray(0, 32))
      return { ...{ _id, v: 1, createdAt, recipients: new Binary(list) }, locationId, locationType, actorId, subjectId }
    }
    return undefined
  }

  /** The last notification of a step may continue in the next one, unless it is the only one. */
  async function write(state: MigrationDocument): Promise<FanOutProgress> {
    const next = await nextOf(found, undefined)
    if (next.length === 0) {
      await found.drop()
      return save({ _id: migration, v: 1, phase: 'done', count: state.count })
    }
    const groups = [...Map.groupBy(next as FoundRecipient[], ({ _id }) => hex(_id).slice(0, 64)).values()]
    const isWhole = next.length < documentsPerStep
    const last = groups.at(-1) as FoundRecipient[]
    if (!isWhole && groups.length > 1) groups.pop()
    else if (!isWhole) last.push(...(await restOf(last.at(-1)?._id as Binary)))
    const written: FanOutDocument[] = []
    const left = groups.values()
    const work = async (): Promise<void> => {
      for (const group of left) {
        const fanOut = await toFanOut(group)
        if (fanOut) written.push(fanOut)
      }
    }
    await Promise.all(Array.from({ length: lookupsAtOnce }, work))
    await insertNew(fanOuts, written)
    await applyTombstones(written)
    const upTo = groups.at(-1)?.at(-1)?._id as Binary
    await found.deleteMany({ _id: { $lte: upTo } })
    return save({ ...state, count: state.count + written.length })
  }

  /** The other recipients of a notification, of which there are at most 10,000. */
  async function restOf(after: Binary): Promise<FoundRecipient[]> {
    const upTo = new Binary(Buffer.concat([bytesIn(after).subarray(0, 32), Buffer.alloc(16, 0xff)]))
    return found
      .find({ _id: { $gt: after, $lte: upTo } }, readLimits)
      .sort({ _id: 1 })
      .toArray()
  }

  return {
    isOutstanding: async () => (await load()).phase !== 'done',
    async step() {
      const state = await load()
      if (state.phase === 'reading') return read(state)
      if (state.phase === 'writing') return write(state)
      return { phase: 'done', count: state.count }
    },
  }
}

const hex = (binary: Binary) => binary.toString('hex')

/** subscriber ‖ id, of a key subscriber ‖ recipient ‖ id. */
function fanOutKey(key: Binary): Binary {
  const bytes = bytesIn(key)
  return new Binary(Buffer.concat([bytes.subarray(0, 16), bytes.subarray(32)]))
}

/** Swaps recipient and id, back and forth. */
function notificationKey(key: Binary): Binary {
  const bytes = bytesIn(key)
  return new Binary(Buffer.concat([bytes.subarray(0, 16), bytes.subarray(32), bytes.subarray(16, 32)]))
}

const toFound = (key: Binary): FoundRecipient => ({ _id: notificationKey(key) })
