import { hex, toKey, uuidIn } from '@herald/mongo'
import type { PersonsCollections } from '@herald/persons'
import {
  createErasureIndex,
  createExportCheck,
  formatVerifierKey,
  keyNameOf,
  openCheckpoint,
  rawKeyOf,
  readVerifierKey,
  signCheckpoint,
} from '@herald/sealed-log'
import { createSigningKey } from '@herald/sealed-log/testing'
import type { Db } from 'mongodb'
import type { ChangeLogCollections } from '../documents/collections.ts'
import type { EntryPage } from '../documents/log-page-document.ts'
import { createSequencer } from '../recorded-order/sequencer.ts'
import { createCheckpoints } from '../sealing/checkpoints.ts'
import { createLogLeaves } from '../sealing/leaves.ts'
import { createSealLog } from '../sealing/seal-log.ts'
import { createSealingState } from '../sealing/sealing-state.ts'
import { createTreeNodes } from '../sealing/tree-nodes.ts'
import { createWriters } from '../test-log.fixture.ts'
import type { SealedLog } from './sealed-log.ts'

const origin = 'log.example.com/herald'

/** Assigns the order and seals logs, as the processes of the service do, but only when it is told to. */
export function createTestSealer(
  database: Db,
  collections: ChangeLogCollections & PersonsCollections,
  now: () => Date,
) {
  const key = createSigningKey()
  const leaves = createLogLeaves(collections.logPages)
  const nodes = createTreeNodes(collections.logNodes, leaves)
  const checkpoints = createCheckpoints(collections.logCheckpoints, now)
  const sealLog = createSealLog({
    ...{ leaves, nodes, checkpoints, now, intervalMs: 0 },
    sign: (id, checkpoint) => signCheckpoint(checkpoint, keyNameOf(origin, id), [key]),
  })
  const raw = rawKeyOf(key.publicKey)

  return {
    noteKey: () => createSealingState(collections.logState, collections.logCheckpoints).note({ origin, keys: [raw] }),
    /** Runs a sequencer until the order has everything that is stored. */
    async record(): Promise<void> {
      const { erasedPersons } = createWriters(collections)
      const options = { watching: database, erasedPersons, now, saveEveryMs: 0, maxAwaitTimeMS: 50, collectMs: 0 }
      const sequencer = createSequencer({ ...collections, ...options })
      const isLevel = async () => {
        const stored = await collections.changeEntries.find({}, { projection: { _id: 1 } }).toArray()
        const pages = await collections.logPages.find({ ids: { $exists: true } }, { projection: { ids: 1 } }).toArray()
        const recorded = new Set(
          (pages as EntryPage[]).flatMap(({ _id, ids }) => ids.map((id) => hex(toKey(uuidIn(_id), uuidIn(id))))),
        )
        const open = await collections.erasures.countDocuments({ unrecorded: true, work: { $exists: false } })
        return open === 0 && stored.every(({ _id }) => recorded.has(hex(_id)))
      }
      await sequencer.work(
        async () => !(await isLevel()),
        () => {},
      )
    },
    seal: (subscriberId: string) => sealLog(subscriberId, async () => true),
    verifierKeyOf(subscriberId: string) {
      return formatVerifierKey(keyNameOf(origin, subscriberId), key.publicKey)
    },
    /** The checkpoint in a note that this sealer has signed. */
    open(subscriberId: string, note: string) {
      const verifier = readVerifierKey(this.verifierKeyOf(subscriberId))
      const opened = verifier.ok ? openCheckpoint(note, [verifier.key]) : verifier
      if (!opened.ok) throw new Error(opened.detail)
      return opened.checkpoint
    },
  }
}

export type Line = {
  readonly checkpoint?: string
  readonly leafIndex: number
  readonly leafHash: string
  readonly salt?: string
  readonly userSalt?: string
  readonly userHash?: string
  readonly gone?: string
  readonly entry?: { readonly id: string; readonly user: { readonly id: string; readonly name: string } }
  readonly erasure?: { readonly eventId: string; readonly time: string; readonly leafIndexes: [number, number][] }
}

type Log = ReturnType<SealedLog['of']>

/** The text of an export, or why there is none. */
export async function exportText(log: Log, range: Parameters<Log['export']>[0] = {}): Promise<string> {
  const found = await log.export(range)
  if (found.kind !== 'lines') return found.kind
  const pieces: Buffer[] = []
  for await (const piece of found.lines) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** The checkpoint and the leaves of an export. */
export async function readExport(log: Log, range: Parameters<Log['export']>[0] = {}) {
  const text = await exportText(log, range)
  const [first, ...leaves] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  return { text, note: first?.checkpoint as string, leaves }
}

/** The codes of what `verify.js` finds. */
export function codesOf(leaves: readonly Line[], checkpoint: ReturnType<ReturnType<typeof createTestSealer>['open']>) {
  const erasures = createErasureIndex()
  for (const line of leaves) erasures.add(line)
  const check = createExportCheck({ checkpoint, mayExpire: false, erasures, report: () => {} })
  for (const [at, line] of leaves.entries()) check.line(line, JSON.stringify(line), at + 2)
  return [...check.end()].toSorted()
}
