import { formatTimestamp } from '@herald/contracts'
import {
  findByKeys,
  firstStepCount,
  hex,
  leaveToOthers,
  maxResponseBytes,
  nextCount,
  readAhead,
  readKey,
  responseBytes,
  StorageUnavailableError,
  stepBytes,
  toIndexKey,
  uuidIn,
} from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import { type ErasurePage, isDropped, isInRanges, type RangeBounds, rangesIn } from '../documents/log-page-document.ts'
import { type EntryLine, encodeEntryLines } from '../json/sealed-entry-json.ts'
import { type Leaf, type LeafSource, readLeaves, type StoredEntryLeaf, type StoredErasureLeaf } from './leaf-pages.ts'

export type ExportSource = LeafSource & {
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly maxEntryBytes: number
  /** The entries that each erasure names whose user salts may not be gone yet. */
  readonly named: readonly RangeBounds[]
}

type Pieces = AsyncGenerator<Buffer, void, void>

const maxStep = 1_000
/** Encoded at once, because a slow reader would hold the text of a whole step in memory. */
const pieceBytes = 256 * 1024
const rangesPerPiece = 1_000

/** The lines of leaves, in pieces. */
export async function* exportLines(source: ExportSource, from: number, to: number): Pieces {
  for await (const step of readAhead(readSteps(source, from, to))) yield* encode(source, step)
}

type Step = { readonly leaves: readonly Leaf[]; readonly found: ReadonlyMap<string, Buffer> }

/** Each with about 1 MiB of entries, so that a slow reader holds no more than two of them. */
async function* readSteps(source: ExportSource, from: number, to: number): AsyncGenerator<Step, void, void> {
  let count = firstStepCount
  for await (const leaves of readLeaves(source, from, to)) {
    for (let at = 0; at < leaves.length; ) {
      const step = await readStep(source, leaves.slice(at, at + count))
      count = nextCount(count, [...step.found.values()], maxStep)
      at += step.leaves.length
      yield step
    }
  }
}

/** The entries of leaves that are stored. Of large ones, only those of the first leaves. */
async function readStep(source: ExportSource, leaves: readonly Leaf[]): Promise<Step> {
  const { changeEntries, budgets, reader, reads, maxEntryBytes } = source
  const keys = leaves.flatMap((leaf) => (leaf.kind === 'entry' ? [leaf.key] : []))
  if (keys.length === 0) return { leaves, found: new Map() }
  return budgets.bytes.within(reader, responseBytes(keys.length, maxEntryBytes), async () => {
    const startedAt = performance.now()
    const { documents, isCut } = await findByKeys(changeEntries, { keys, after: reads.time })
    let sum = 0
    const excess = documents.findIndex(({ length }, at) => {
      sum += length
      return at > 0 && sum > stepBytes
    })
    // Copied, because all bytes share one buffer, which a part of them must not retain.
    const taken = excess === -1 ? documents : documents.slice(0, excess).map((bytes) => Buffer.from(bytes))
    const found = new Map(taken.map((document) => [hex(readKey(document)), document]))
    if (!budgets.bytes.isAlone(reader)) await leaveToOthers(performance.now() - startedAt)
    if (excess === -1 && !isCut) return { leaves, found }
    const last = [...found.keys()].at(-1)
    const end = leaves.findIndex((leaf) => leaf.kind === 'entry' && hex(leaf.key) === last)
    return { leaves: leaves.slice(0, end + 1), found }
  })
}

async function* encode(source: ExportSource, { leaves, found }: Step): Pieces {
  let entries: EntryLine[] = []
  let gone: string[] = []
  let bytes = 0
  function* flush() {
    if (entries.length > 0) yield encodeEntryLines(entries)
    if (gone.length > 0) yield Buffer.from(gone.join(''))
    entries = []
    gone = []
    bytes = 0
  }
  for (const leaf of leaves) {
    const document = leaf.kind === 'entry' ? found.get(hex(leaf.key)) : undefined
    // Each piece has lines of one kind.
    if (bytes > pieceBytes || (document === undefined ? entries : gone).length > 0) yield* flush()
    if (leaf.kind === 'erasure') {
      yield* flush()
      yield* encodeErasure(source, leaf)
    } else if (document === undefined) {
      gone.push(`${opening(leaf)},"gone":"expired"}\n`)
    } else {
      entries.push(toEntryLine(leaf, document, source.named))
      bytes += document.length
    }
  }
  yield* flush()
}

const base64 = (bytes: Buffer) => bytes.toString('base64')
const opening = ({ index, leafHash }: Leaf) => `{"leafIndex":${index},"leafHash":"${base64(leafHash)}"`

function toEntryLine(leaf: StoredEntryLeaf, document: Buffer, named: readonly RangeBounds[]): EntryLine {
  const { index, salt, userSalt, userHash } = leaf
  const isErased = isDropped(userSalt) || named.some((bounds) => isInRanges(bounds, index))
  const user = isErased ? `"userHash":"${base64(userHash)}"` : `"userSalt":"${base64(userSalt)}"`
  return { document, opening: `${opening(leaf)},"salt":"${base64(salt)}",${user},"entry":`, isErased }
}

/** An erasure may name millions of ranges. */
async function* encodeErasure(
  { logPages, subscriberId, budgets, reader, reads }: ExportSource,
  leaf: StoredErasureLeaf,
): Pieces {
  const query = { filter: { _id: toIndexKey(subscriberId, leaf.index) }, limit: 1 }
  const ranges = await budgets.bytes.within(reader, maxResponseBytes, async () => {
    const [page] = (await reads.find<ErasurePage>(logPages as never, query)).documents
    if (page === undefined) throw new StorageUnavailableError(`Leaf ${leaf.index} cannot be read`)
    return Buffer.from(page.erasure.leafIndexes.buffer)
  })
  const { eventId, time } = leaf
  const start = `${opening(leaf)},"erasure":{"eventId":"${uuidIn(eventId)}","time":"${formatTimestamp(time)}","leafIndexes":[`
  let text: string[] = []
  let before = start
  for (const [from, to] of rangesIn({ buffer: ranges })) {
    text.push(`${before}[${from},${to}]`)
    before = ','
    if (text.length < rangesPerPiece) continue
    yield Buffer.from(text.join(''))
    text = []
  }
  if (before === start) text.push(start)
  yield Buffer.from(`${text.join('')}]}}\n`)
}
