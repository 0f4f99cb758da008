import { type Binary, type Collection, type Db, MongoServerError, type ResumeToken } from 'mongodb'
import { planCollections } from '../../collections.ts'
import { inBatches } from '../../fan-outs/in-batches.ts'
import { bytesIn } from '../../fan-outs/recipient-list.ts'
import { insertNew } from '../../insert-new.ts'
import type { NotificationDocument } from '../../notifications/notification-document.ts'
import { readLimits } from '../../reading/read-limits.ts'
import { createIfMissing } from '../migrate.ts'
import { createLateChanges, type LateChangesDependencies, type StoredFor } from './late-changes.ts'
import { changesAfter, currentPosition, type SourceChange } from './source-changes.ts'

/** How many notifications were copied, of about `total`. */
export type RewriteProgress = {
  readonly phase: 'copying' | 'following' | 'switching' | 'done'
  readonly count: number
  readonly total: number
}

export type Rewrite = {
  /** Does the next step, bounded in time and memory. Continues after the last one, in any process. */
  step(): Promise<RewriteProgress>
}

/** The state, in `migrations`; absent before the first step. */
export type RewriteDocument = {
  _id: 'rewrite-notifications'
  v: 1
  phase: RewriteProgress['phase']
  count: number
  /** The last key that was copied. */
  after?: Binary
  /** The changes up to here are in the copy. */
  position?: ResumeToken
}

export type RewriteDependencies = Omit<LateChangesDependencies, 'notifications'> & {
  readonly state: Collection<RewriteDocument>
  /** Reads may take long enough to find an old position in the oplog. */
  readonly database: Db
  readonly retentionDays: number | undefined
  readonly documentsPerStep?: number
}

const _id = 'rewrite-notifications'
const name = 'notifications'
const copyName = 'notifications-rewritten'
/** Of at most 32 KiB each. */
const mostPerBatch = 500
/** Few enough that the copy is only some milliseconds behind when it takes over. */
const mostLate = 500
const operationsAtOnce = 16
const historyLost = new Set<unknown>([136, 260, 280, 286])
const majority = { readConcern: { level: 'majority' } } as const

export const rewriteStateIn = (database: Db): Collection<RewriteDocument> => database.collection('migrations')

/**
 * Copies `notifications` into a collection with the block size of new ones, which then takes over its name, while both
 * services run. A collection's block size cannot be changed in place.
 *
 * The copy is made in the order of the keys. Between two batches the changes since the last ones are followed: for each
 * changed key the current document is copied again. In the end the copy is renamed, which drops the old collection, and the
 * changes that the copy lacks are applied from the change stream. For these milliseconds some notifications may be missing,
 * or unread although they were marked.
 */
export function createRewrite(dependencies: RewriteDependencies): Rewrite {
  const { state: states, database, retentionDays, documentsPerStep = 5_000 } = dependencies
  const documentsPerBatch = Math.min(mostPerBatch, documentsPerStep)
  const source = database.collection<NotificationDocument>(name)
  const copy = database.collection<NotificationDocument>(copyName)
  const lateChanges = createLateChanges({ ...dependencies, notifications: source })
  const changes = { collection: name, renamedFrom: copyName }
  const plan = planCollections(retentionDays).find((planned) => planned.name === name)
  if (plan === undefined) throw new Error(`No plan of ${name}`)
  const { options, indexes } = plan

  const total = () => source.estimatedDocumentCount(readLimits)

  async function save({ _id, ...state }: RewriteDocument): Promise<RewriteProgress> {
    await states.replaceOne({ _id }, state, { upsert: true })
    return { phase: state.phase, count: state.count, total: await total() }
  }

  async function storageOf(collection: string): Promise<{ readonly exists: boolean; readonly isPlanned: boolean }> {
    const [found] = await database.listCollections({ name: collection }, readLimits).toArray()
    const engine = found && 'options' in found ? found.options?.storageEngine : undefined
    return { exists: found !== undefined, isPlanned: JSON.stringify(engine) === JSON.stringify(options.storageEngine) }
  }

  async function begin(): Promise<RewriteProgress> {
    const hello = await database.command({ hello: 1 })
    if (hello.msg === 'isdbgrid')
      throw new Error('Sharded clusters are not supported: resharding rewrites a collection')
    const position = await currentPosition(database)
    await copy.drop()
    await createIfMissing(database, copyName, options)
    if (!(await storageOf(copyName)).isPlanned) {
      await copy.drop()
      throw new Error('The server does not accept the settings of the storage engine, so there is nothing to rewrite')
    }
    for (const { key, ...index } of indexes) await copy.createIndex(key as never, index)
    return save({ _id, v: 1, phase: 'copying', count: 0, position })
  }

  /** Copies what has changed since `position`, of keys that were copied already: the others will be read later. */
  async function follow(position: ResumeToken, copiedUpTo: Binary | undefined) {
    const keys = new Map<string, Binary>()
    let seen = 0
    let reached = position
    let isCaughtUp = false
    for await (const { change, position: at } of changesAfter(database, changes, position, { withContent: false })) {
      reached = at
      if (change === undefined) isCaughtUp = true
      else if (++seen && isWithin(change.documentKey._id, copiedUpTo)) {
        keys.set(change.documentKey._id.toString('hex'), change.documentKey._id)
      }
      if (isCaughtUp || seen >= documentsPerStep) break
    }
    for (const batch of inBatches(keys.values(), documentsPerBatch)) await copyCurrent(batch)
    return { position: reached, seen, isCaughtUp }
  }

  /** By one key at a time: MongoDB 6 scans a clustered collection for a list of keys. */
  async function copyCurrent(keys: readonly Binary[]): Promise<void> {
    const operations: Parameters<typeof copy.bulkWrite>[0][number][] = []
    const left = keys.values()
    const work = async () => {
      for (const key of left) {
        const found = await source.findOne({ _id: key }, { ...readLimits, ...majority })
        if (found === null) operations.push({ deleteOne: { filter: { _id: key } } })
        else {
          const { _id: filter, ...replacement } = found
          operations.push({ replaceOne: { filter: { _id: filter }, replacement, upsert: true } })
        }
      }
    }
    await Promise.all(Array.from({ length: operationsAtOnce }, work))
    if (operations.length > 0) await copy.bulkWrite(operations, { ordered: false })
  }

  async function copyNext(state: RewriteDocument): Promise<RewriteProgress> {
    let { after, count } = state
    let isWhole = false
    for (let read = 0; read < documentsPerStep && !isWhole; read += documentsPerBatch) {
      const documents = await source
        .find(after === undefined ? {} : { _id: { $gt: after } }, { ...readLimits, ...majority })
        .sort({ _id: 1 })
        .limit(documentsPerBatch)
        .toArray()
      if (documents.length > 0) await insertNew(copy, documents)
      isWhole = documents.length < documentsPerBatch
      after = documents.at(-1)?._id ?? after
      count += documents.length
    }
    const { position } = await follow(state.position, isWhole ? undefined : after)
    if (isWhole) return save({ _id, v: 1, phase: 'following', count, position })
    return save({ ...state, ...(after && { after }), count, position })
  }

  async function followAll(state: RewriteDocument): Promise<RewriteProgress> {
    const { position, seen, isCaughtUp } = await follow(state.position, undefined)
    const phase = isCaughtUp && seen <= mostLate ? 'switching' : 'following'
    return save({ ...state, phase, position })
  }

  /** Changes of different notifications at once, those of one in their order. */
  async function applyLate(changed: readonly SourceChange[]): Promise<StoredFor[]> {
    const inserted: StoredFor[] = []
    const left = Map.groupBy(changed, ({ documentKey }) => documentKey._id.toString('hex')).values()
    const work = async () => {
      for (const ofOne of left) {
        for (const change of ofOne) {
          const stored = await lateChanges.apply(change)
          if (stored) inserted.push(stored)
        }
      }
    }
    await Promise.all(Array.from({ length: operationsAtOnce }, work))
    return inserted
  }

  /** The state is `switching` before the rename, so a process that takes over knows that changes may be missing. */
  async function switchOver(state: RewriteDocument): Promise<RewriteProgress> {
    let { position } = state
    if ((await storageOf(copyName)).exists) {
      const followed = await follow(position, undefined)
      position = followed.position
      const progress = await save({ ...state, position })
      if (!followed.isCaughtUp || followed.seen > mostLate) return progress
      await copy.rename(name, { dropTarget: true })
    }
    const inserted: StoredFor[] = []
    let late: SourceChange[] = []
    for await (const { change } of changesAfter(database, changes, position, { withContent: true })) {
      const isLast = change?.operationType === 'rename'
      if (change && !isLast) late.push(change)
      if (!isLast && late.length < mostLate) continue
      inserted.push(...(await applyLate(late)))
      late = []
      if (isLast) break
    }
    await lateChanges.catchUp(inserted)
    return save({ _id, v: 1, phase: 'done', count: state.count })
  }

  async function next(state: RewriteDocument): Promise<RewriteProgress> {
    if (state.phase === 'copying') return copyNext(state)
    if (state.phase === 'following') return followAll(state)
    return switchOver(state)
  }

  return {
    async step() {
      const state = await states.findOne({ _id }, readLimits)
      const { isPlanned } = await storageOf(name)
      if (isPlanned && state?.phase !== 'switching') {
        return { phase: 'done', count: state?.count ?? 0, total: await total() }
      }
      if (state === null || state.phase === 'done') return begin()
      if (!(isPlanned || (await storageOf(copyName)).exists)) return begin()
      try {
        return await next(state)
      } catch (error) {
        if (!(error instanceof MongoServerError && historyLost.has(error.code)) || isPlanned) throw error
        await states.deleteOne({ _id })
        throw new Error('The oplog no longer has the changes since the last step: run it again, from the start', {
          cause: error,
        })
      }
    },
  }
}

function isWithin(key: Binary, upTo: Binary | undefined): boolean {
  return upTo === undefined || Buffer.compare(bytesIn(key), bytesIn(upTo)) <= 0
}
