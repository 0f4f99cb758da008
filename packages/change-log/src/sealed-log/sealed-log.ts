import { limits } from '@herald/contracts'
import { lookWithin, type ReadBudgets, type Reader } from '@herald/mongo'
import { formatTlogProof, formatVerifierKey, keyNameOf, proveConsistency, publicKeyOf } from '@herald/sealed-log'
import type { LogSources } from '../documents/collections.ts'
import { createCausalReads } from '../recorded-order/causal-reads.ts'
import { createCheckpoints } from '../sealing/checkpoints.ts'
import { createConflicts } from '../sealing/conflicts.ts'
import { createLogLeaves } from '../sealing/leaves.ts'
import { createSealingState } from '../sealing/sealing-state.ts'
import { createTreeNodes } from '../sealing/tree-nodes.ts'
import { createErasuresOfLog } from './erasures-of-log.ts'
import { exportLines } from './export-lines.ts'
import { createProveEntry, type ProvenEntry, readLeafData } from './prove-entry.ts'

export type SealedLogDependencies = LogSources & {
  readonly budgets: ReadBudgets
  readonly now: () => Date
}

/** No sealer with a key has run. */
type SealingOff = { readonly kind: 'sealing-off' }
/** The data of the leaf is not there any more: the entry was erased or has expired. */
type LeafUnavailable = { readonly kind: 'leaf-unavailable' }
type NoCheckpoint = { readonly kind: 'no-checkpoint' }
/** Not a size, or no range, of this log. */
type InvalidSize = { readonly kind: 'invalid-size' }
/** A person is being erased. */
type NotReady = { readonly kind: 'not-ready' }

export type LogConsistency = {
  readonly from: number
  readonly to: number
  readonly hashes: readonly string[]
  readonly checkpoint: string
}

export type SealedExport = { readonly kind: 'lines'; readonly lines: AsyncGenerator<Buffer, void, void> }

export type SealedLog = ReturnType<typeof createSealedLog>

/** An erasure was accepted while an export was read: what it has shown so far does not fit what follows. */
class ErasedMeanwhile extends Error {
  override readonly name = 'ErasedMeanwhile'
}

/** An entry comes from an event of at most 1 MiB, and its ids are shorter as bytes. */
const maxEntryBytes = limits.eventBytes
/** A page of the order, and the tiles of a proof, most of which are leaf hashes in pages. */
const proofBytes = 1024 * 1024

/** Reads sealed logs: checkpoints, proofs and exports. It has no key, and signs nothing. */
export function createSealedLog({ budgets, now, ...collections }: SealedLogDependencies) {
  const { logPages, logNodes, logCheckpoints, logState } = collections
  const leaves = createLogLeaves(logPages)
  const nodes = createTreeNodes(logNodes, leaves)
  const checkpoints = createCheckpoints(logCheckpoints, now)
  const conflicts = createConflicts(logState, now)
  const state = createSealingState(logState, logCheckpoints)
  const proveEntry = createProveEntry({ ...collections, nodes })

  /** @param userId the user who reads */
  const of = (subscriberId: string, userId = '') => {
    const reader: Reader = { subscriberId, userId }
    const look = lookWithin(budgets, reader)
    const newestSigned = () => look(() => checkpoints.newestSigned(subscriberId))
    const readState = () => look(() => state.read())
    /** Without a checkpoint, whether logs are sealed at all decides. */
    const otherwise = async <T>(outcome: T): Promise<T | SealingOff> =>
      (await readState()) === undefined ? { kind: 'sealing-off' } : outcome
    return {
      /** The newest signed checkpoint. */
      async checkpoint(): Promise<{ kind: 'checkpoint'; checkpoint: string } | SealingOff | NoCheckpoint> {
        const newest = await newestSigned()
        if (newest === undefined) return otherwise({ kind: 'no-checkpoint' })
        return { kind: 'checkpoint', checkpoint: newest.note }
      },
      /** Verifier keys of all that ever signed, the present one first. */
      async keys(): Promise<{ kind: 'keys'; keys: readonly string[] } | SealingOff> {
        const found = await readState()
        if (found === undefined) return { kind: 'sealing-off' }
        const name = keyNameOf(found.origin, subscriberId)
        return { kind: 'keys', keys: found.keys.map((key) => formatVerifierKey(name, publicKeyOf(key))) }
      },
      /** Proves that the log of a size continues that of a smaller one. */
      async consistency(sizes: {
        readonly from: number
        readonly to?: number | undefined
      }): Promise<{ kind: 'consistency'; consistency: LogConsistency } | SealingOff | InvalidSize | NoCheckpoint> {
        const newest = await newestSigned()
        if (newest === undefined) return otherwise({ kind: 'invalid-size' })
        const { from, to = newest.size } = sizes
        if (from < 0 || from > to || to > newest.size) return { kind: 'invalid-size' }
        const checkpoint = to === newest.size ? newest : await look(() => checkpoints.signedOf(subscriberId, to))
        if (checkpoint === undefined) return { kind: 'no-checkpoint' }
        const prove = () => proveConsistency(from, to, nodes.readerOf(subscriberId))
        // Every log continues the empty one.
        const proof = from === 0 ? [] : await budgets.bytes.within(reader, proofBytes, prove)
        const hashes = proof.map((hash) => hash.toString('base64'))
        return { kind: 'consistency', consistency: { from, to, hashes, checkpoint: checkpoint.note } }
      },
      /** Proves that an entry is in the newest checkpoint. */
      async proof(id: string): Promise<ProvenEntry | SealingOff> {
        const outcome = await budgets.bytes.within(reader, proofBytes, () => proveEntry(subscriberId, id))
        return outcome.kind === 'proven' ? outcome : otherwise(outcome)
      },
      /** Proves it in one text, for programs that know nothing of Herald (C2SP tlog-proof). */
      async tlogProof(
        id: string,
      ): Promise<
        { kind: 'text'; text: string } | LeafUnavailable | Exclude<ProvenEntry, { kind: 'proven' }> | SealingOff
      > {
        const outcome = await this.proof(id)
        if (outcome.kind === 'not-stored' && outcome.wasRecorded) return { kind: 'leaf-unavailable' }
        if (outcome.kind !== 'proven') return outcome
        const { proof } = outcome
        const data = await budgets.bytes.within(reader, maxEntryBytes, () =>
          readLeafData(collections.changeEntries, { subscriberId, id, proof }),
        )
        if (data === undefined) return { kind: 'leaf-unavailable' }
        const { leafIndex: index, hashes, checkpoint } = proof
        return { kind: 'text', text: formatTlogProof({ index, hashes, checkpoint, extra: data }) }
      },
      /**
       * The newest checkpoint and the leaves from an index to before another one, by default all that are recorded, as lines of
       * JSON. Reading them throws if a step fails, or a person is erased meanwhile.
       */
      async export(range: {
        readonly from?: number | undefined
        readonly to?: number | undefined
      }): Promise<SealedExport | SealingOff | NoCheckpoint | InvalidSize | NotReady> {
        const newest = await newestSigned()
        if (newest === undefined) return otherwise({ kind: 'no-checkpoint' })
        const erasures = createErasuresOfLog(collections, subscriberId)
        const version = await look(() => erasures.version())
        const reads = createCausalReads()
        const { isUnderWay, named } = await look(() => erasures.find(reads))
        // The length is read afterwards, so that it contains the leaves of all erasures that were found.
        const length = await look(() => leaves.length(subscriberId, reads))
        // After a failover, the new primary may not know all of them yet. What is missing then was removed, which is no error here.
        if (length < newest.size) await conflicts.waitForMajority()
        const end = Math.max(length, newest.size)
        const { from = 0, to = end } = range
        if (from < 0 || from > to || to > end) return { kind: 'invalid-size' }
        if (isUnderWay) return { kind: 'not-ready' }

        const source = { ...collections, subscriberId, reads, budgets, reader, maxEntryBytes, named }
        async function* checked() {
          for await (const piece of exportLines(source, from, to)) {
            // Before each piece, so that nobody is shown who was erased before it is sent.
            if ((await look(() => erasures.version())) !== version)
              throw new ErasedMeanwhile('A person was erased during the export')
            yield piece
          }
        }
        const pieces = checked()
        try {
          return { kind: 'lines', lines: linesOf(newest.note, await pieces.next(), pieces) }
        } catch (error) {
          if (error instanceof ErasedMeanwhile) return { kind: 'not-ready' }
          throw error
        }
      },
    }
  }

  return { of }
}

async function* linesOf(
  checkpoint: string,
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer, void, void>,
): AsyncGenerator<Buffer, void, void> {
  try {
    yield Buffer.from(`${JSON.stringify({ checkpoint })}\n`)
    for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return()
  }
}
