import { createFence, type Hold, insertWithinMs, type MonotonicClock } from '@herald/mongo'
import { type Checkpoint, continueTree, type GrowingTree, rootAt } from '@herald/sealed-log'
import type { Checkpoints, SignedCheckpoint } from './checkpoints.ts'
import type { LogLeaves } from './leaves.ts'
import { LogConflict } from './log-conflict.ts'
import type { HashedNode, TreeNodes } from './tree-nodes.ts'

export type SealDependencies = {
  readonly leaves: LogLeaves
  readonly nodes: TreeNodes
  readonly checkpoints: Checkpoints
  /** By MongoDB's clock. */
  readonly now: () => Date
  /** A checkpoint follows the one before after this time at the earliest. */
  readonly intervalMs: number
  /** Nothing is written that was read longer ago. */
  readonly clock?: MonotonicClock | undefined
  /** The signed note of a log's checkpoint, always the same for the same checkpoint. */
  readonly sign: (subscriberId: string, checkpoint: Checkpoint) => string
  /** Whether a checkpoint has the cosignatures without which it is neither served nor published; without it, none is needed. */
  readonly hasQuorum?: ((note: string) => boolean) | undefined
}

export type SealOutcome =
  | {
      readonly kind: 'sealed'
      readonly checkpoint: SignedCheckpoint
      /** The leaves since the checkpoint before. */
      readonly leaves: number
      /** More leaves are recorded; they follow after the interval. */
      readonly isMore: boolean
    }
  /** Nothing is new. */
  | { readonly kind: 'unchanged' }
  /** Something is new, but the interval is not over, or the checkpoint before waits for witnesses. */
  | { readonly kind: 'early'; readonly dueInMs: number }
  /** Another process has the lease. */
  | { readonly kind: 'stopped' }

/** A checkpoint that is known from elsewhere than the database. */
export type KnownCheckpoint = Checkpoint & {
  /** Where it is known from, for the reason of a conflict. */
  readonly from: 'published' | 'signed here'
}

export type SealOptions = {
  /** The newest that was published, and the last one that this process signed. */
  readonly known?: readonly KnownCheckpoint[]
  /** Stops the log if it has entries. */
  readonly foreign?: string | undefined
  /** Compares the leaves with the newest checkpoint even if nothing is to be sealed. */
  readonly isDoubted?: boolean
}

const leavesPerRead = 10_000
/** Read and hashed within a few seconds. A longer log gets several checkpoints, an interval apart. */
const leavesPerSeal = 500_000
const heldMs = 1_000

/**
 * Seals what is new in a log. Any number of processes may do so at once, and may be killed or frozen anywhere: nodes and
 * checkpoints follow from leaves that a majority has and are inserted once, a checkpoint is signed as it is stored, and
 * what a process has read is not written any more after the fence.
 */
export function createSealLog(dependencies: SealDependencies) {
  const { leaves, nodes, checkpoints, now, intervalMs, clock, sign, hasQuorum = () => true } = dependencies
  const compareAnchor = createCompareAnchor({ nodes, checkpoints })
  /** @throws LogConflict */
  return async (
    subscriberId: string,
    hold: Hold,
    { known = [], foreign, isDoubted }: SealOptions = {},
  ): Promise<SealOutcome> => {
    const fence = createFence(insertWithinMs, clock)
    const { newest, signed: sealed } = await checkpoints.newestOfBoth(subscriberId)
    // A process died between insert and signature, or someone else inserted it: it is signed if the leaves give its root.
    const unsigned = newest?.note === undefined ? newest : undefined
    const from = sealed?.size ?? 0
    const length = await leaves.length(subscriberId)
    if (newest !== undefined) checkLength(length, newest)
    if (foreign !== undefined && length > 0) throw new LogConflict(foreign)
    for (const one of known) {
      // Most of the time, it is the checkpoint before this one.
      if (one.size === sealed?.size) checkRoot(sealed.root, one)
      else await compareAnchor(subscriberId, one)
    }
    // One waits for the witnesses at a time, so that all of them cosign the same size, however slow each is.
    const isHeld = sealed?.isHeld === true && !hasQuorum(sealed.note)
    if (sealed?.isHeld && !isHeld) await fence(() => checkpoints.release(subscriberId, sealed))
    const leftMs = sealed === undefined ? 0 : sealed.sealedAt.getTime() + intervalMs - now().getTime()
    // One that was sealed after now was sealed before a clock stepped back.
    const restMs = leftMs > intervalMs ? 0 : leftMs
    const dueInMs = isHeld ? Math.max(restMs, heldMs) : restMs
    const isIdle = unsigned === undefined && (length === from || dueInMs > 0)
    const idle: SealOutcome = length === from ? { kind: 'unchanged' } : { kind: 'early', dueInMs }
    if (isIdle && !isDoubted) return idle

    const full: HashedNode[] = []
    const onFullTile: Parameters<typeof continueTree>[2] = {
      onFullTile: ({ level, index }, hash) => full.push({ level: level + 1, index, hash }),
    }
    const tree = await continueTree(from, nodes.readerOf(subscriberId), onFullTile)
    if (sealed !== undefined) checkRoot(tree.root(), sealed)
    if (isIdle) return idle
    const to = unsigned?.size ?? Math.min(length, from + leavesPerSeal)
    for (let at = from; at < to; at += leavesPerRead) {
      append(tree, await leaves.readHashes(subscriberId, at, Math.min(to, at + leavesPerRead)))
      if (full.length > 0) await fence(() => nodes.insert(subscriberId, full.splice(0)))
      if (!(await hold())) return { kind: 'stopped' }
    }
    const stored = await fence(() => checkpoints.insert(subscriberId, { size: to, root: tree.root() }))
    const signOwn = (own: Checkpoint) => sign(subscriberId, own)
    const checkpoint = await fence(() => checkpoints.sign(subscriberId, stored, signOwn, (note) => !hasQuorum(note)))
    return { kind: 'sealed', checkpoint, leaves: to - from, isMore: to < length }
  }
}

function append(tree: GrowingTree, hashes: Uint8Array): void {
  for (let at = 0; at < hashes.length; at += 32) tree.append(hashes.subarray(at, at + 32))
}

/**
 * Compares a log with a checkpoint that is known from outside the database.
 *
 * @throws LogConflict if that one is larger than what is sealed here, or of another log
 */
export function createCompareAnchor({ nodes, checkpoints }: Pick<SealDependencies, 'nodes' | 'checkpoints'>) {
  return async (subscriberId: string, anchor: Checkpoint & Partial<KnownCheckpoint>): Promise<void> => {
    const { size = 0 } = (await checkpoints.newest(subscriberId)) ?? {}
    if (anchor.size > size) {
      const how = anchor.from === 'signed here' ? 'signed by this process' : 'published'
      throw new LogConflict(`A checkpoint of size ${anchor.size} was ${how}, but the log is sealed up to ${size} only`)
    }
    checkRoot(await rootAt(anchor.size, nodes.readerOf(subscriberId)), anchor)
  }
}

/** @throws LogConflict if leaves are missing */
export function checkLength(length: number, { size }: Checkpoint): void {
  if (length < size) throw new LogConflict(`${length} leaves are recorded, but the checkpoint has size ${size}`)
}

/** @throws LogConflict */
export function checkRoot(own: Uint8Array, { size, root }: Checkpoint): void {
  if (Buffer.compare(own, root) === 0) return
  throw new LogConflict(`The first ${size} leaves do not give the root of the checkpoint of that size`)
}
