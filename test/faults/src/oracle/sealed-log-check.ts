import { createTree, openCheckpoint, type VerifierKey } from '@herald/sealed-log'
import type { Binary, Db } from 'mongodb'

export type SealedLogs = {
  readonly database: Db
  readonly subscriberIds: readonly string[]
  readonly verifierOf: (subscriberId: string) => VerifierKey
}

type Page = { readonly _id: Binary; readonly first: number; readonly count: number; readonly leafHashes: Binary } & {
  readonly ids?: readonly Binary[]
}
type Checkpoint = { readonly _id: Binary; readonly root: Binary; readonly note?: string }

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The keys of a subscriber with so many bytes behind it. */
function keysOf(subscriberId: string, bytes: number) {
  const prefix = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
  const end = (byte: number) => Buffer.concat([prefix, Buffer.alloc(bytes, byte)])
  return { _id: { $gte: end(0), $lte: end(0xff) } } as never
}

/**
 * Compares what is sealed with what is stored: every entry once, pages without gaps, each checkpoint with the root of its leaves, the
 * newest with all of them, and in the topic the same checkpoints and no others. Knows nothing of how it came about.
 */
export async function checkSealedLog(logs: SealedLogs, records: readonly { key: string; note: string }[]) {
  const faults: string[] = []
  const figures = { logs: 0, entries: 0, checkpoints: 0, records: records.length }
  const notes = Map.groupBy(records, ({ key }) => key)
  for (const key of notes.keys()) if (!logs.subscriberIds.includes(key)) faults.push(`${key} has records, but no log`)
  for (const subscriberId of logs.subscriberIds) {
    const published = (notes.get(subscriberId) ?? []).map(({ note }) => note)
    const found = await checkOne(logs, subscriberId, published)
    faults.push(...found.faults.map((fault) => `${subscriberId}: ${fault}`))
    if (found.entries > 0) figures.logs++
    figures.entries += found.entries
    figures.checkpoints += found.checkpoints
  }
  if (figures.entries === 0) faults.push('nothing was stored')
  return { faults, figures }
}

async function checkOne({ database, verifierOf }: SealedLogs, subscriberId: string, published: readonly string[]) {
  const faults: string[] = []
  const options = { sort: { _id: 1 }, readConcern: 'majority' } as const
  const key = verifierOf(subscriberId)
  const checkpoints = await database
    .collection<Checkpoint>('log-checkpoints')
    .find(keysOf(subscriberId, 8), options)
    .toArray()
  const own = checkpoints.flatMap(({ note }) => (note === undefined ? [] : [note]))
  if (own.length < checkpoints.length) faults.push(`${checkpoints.length - own.length} checkpoints are not signed`)
  /** The stored and the signed roots, by size. */
  const claims = checkpoints.map(({ _id, root }) => ({ size: sizeIn(_id), root: hex(root.buffer) }))
  for (const note of new Set([...own, ...published])) {
    const opened = openCheckpoint(note, [key])
    if (opened.ok) claims.push({ size: opened.checkpoint.size, root: hex(opened.checkpoint.root) })
    else faults.push(opened.detail)
  }
  const sizes = new Set(claims.map(({ size }) => size))
  const { ids, roots, length, gaps } = await readPages(database, subscriberId, sizes)
  faults.push(...gaps)
  for (const { size, root } of claims) {
    if (roots.get(size) !== root) faults.push(`a checkpoint of size ${size} has another root than the leaves`)
  }
  const newest = checkpoints.length === 0 ? 0 : Math.max(...checkpoints.map(({ _id }) => sizeIn(_id)))
  if (newest !== length) faults.push(`${length} leaves are recorded, ${newest} sealed`)

  const entries = database.collection<{ _id: Binary }>('change-entries')
  const stored = await entries.find(keysOf(subscriberId, 16), { ...options, projection: { _id: 1 } }).toArray()
  const storedIds = stored.map(({ _id }) => hex(_id.buffer.subarray(16)))
  if (ids.toSorted().join() !== storedIds.toSorted().join()) {
    faults.push(`${storedIds.length} entries are stored, ${ids.length} recorded, ${new Set(ids).size} different ones`)
  }
  const missing = own.filter((note) => !published.includes(note))
  if (missing.length > 0) faults.push(`${missing.length} checkpoints are not published`)
  const others = published.filter((note) => !own.includes(note))
  if (others.length > 0) faults.push(`${others.length} records are no checkpoints that are stored`)
  return { faults, entries: ids.length, checkpoints: own.length }
}

const sizeIn = ({ buffer }: Binary) => Number(Buffer.from(buffer).readBigUInt64BE(16))

/** The ids of a log, its length, and its roots at the sizes that are asked for. */
async function readPages(database: Db, subscriberId: string, sizes: ReadonlySet<number>) {
  const ids: string[] = []
  const gaps: string[] = []
  const roots = new Map<number, string>()
  const tree = createTree()
  let length = 0
  const options = { sort: { _id: 1 }, readConcern: 'majority' } as const
  for await (const page of database.collection<Page>('log-pages').find(keysOf(subscriberId, 8), options)) {
    if (page.first !== length) gaps.push(`a page begins at ${page.first}, not at ${length}`)
    for (let at = 0; at < page.count; at++) {
      tree.append(page.leafHashes.buffer.subarray(32 * at, 32 * at + 32))
      length++
      if (sizes.has(length)) roots.set(length, hex(tree.root()))
    }
    ids.push(...(page.ids ?? []).map((id) => hex(id.buffer)))
  }
  return { ids, roots, length, gaps }
}
