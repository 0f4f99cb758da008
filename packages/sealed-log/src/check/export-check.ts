import { isSameHash } from '../hash/hashes.ts'
import type { Checkpoint } from '../note/checkpoint.ts'
import { createTree } from '../tree/tree.ts'
import type { ErasureIndex, NamedErasure } from './erasure-index.ts'
import { createReport, entryOf, type Finding, type FindingCode } from './finding.ts'
import { createLeafOrder } from './leaf-order.ts'
import { hasRepeatedKeys } from './repeated-keys.ts'
import { isIndex, type LineObject, readSealedLine, type SealedLine } from './sealed-line.ts'
import { createUnsealedFields } from './unsealed-fields.ts'

export type ExportCheckOptions = {
  readonly checkpoint: Checkpoint
  /** Another checkpoint of the log, which its leaves must give too. */
  readonly against?: Checkpoint | undefined
  /** Whether a proof of consistency has compared the two already, so that the export need not reach a larger other one. */
  readonly isCompared?: boolean
  /** Whether entries may have expired. Which ones did is taken from the export. */
  readonly mayExpire: boolean
  /** The erasures of all lines. */
  readonly erasures: Pick<ErasureIndex, 'find'>
  readonly report: (finding: Finding) => void
}

/** Checks the lines of a sealed export that begins at 0, in their order. It keeps hashes and gaps, and no entries. */
export function createExportCheck({
  checkpoint,
  against,
  isCompared = false,
  mayExpire,
  erasures,
  report,
}: ExportCheckOptions) {
  /** All leaves before it are sealed, by either checkpoint. */
  const sealedSize = isCompared ? checkpoint.size : Math.max(checkpoint.size, against?.size ?? 0)
  const findings = createReport(report)
  const order = createLeafOrder()
  const tree = createTree()
  const unsealedFields = createUnsealedFields()
  /** Whether the leaf hashes came in order and without gaps so far. */
  let isComplete = true

  const addAt = (code: FindingCode, index: number, words: string) =>
    findings.add({ code, leaves: { from: index, to: index + 1 }, words })

  function checkRoots() {
    const reached = tree.size()
    if (reached === checkpoint.size && !isSameHash(tree.root(), checkpoint.root)) {
      findings.add({ code: 1, words: rootWords(`the checkpoint of size ${reached}`) })
    }
    if (reached === against?.size && !isSameHash(tree.root(), against.root)) {
      findings.add({ code: 1, words: rootWords(`the other checkpoint, of size ${reached}`) })
    }
  }

  function append({ leafHash, computed }: SealedLine) {
    const hash = leafHash ?? computed
    if (hash === undefined) isComplete = false
    if (!isComplete || hash === undefined) return
    tree.append(hash)
    checkRoots()
  }

  /** @returns whether the line is the first one with its index */
  function checkOrder({ index, id }: SealedLine, following: number | undefined): boolean {
    const expected = order.end()
    const place = order.place(index, following)
    if (place === 'repeated') {
      addAt(1, index, `${entryOf(id)}: a line with this index came before`)
      return false
    }
    if (place !== 'next') {
      addAt(1, index, `${entryOf(id)}: the line is out of turn, ${place === 'early' ? 'ahead of' : 'behind'} others`)
    }
    if (index !== expected || place !== 'next') isComplete = false
    return true
  }

  function checkGone({ index, id, kind }: SealedLine) {
    if (kind === 'erased') {
      const erasure = erasures.find(index)
      if (erasure === undefined)
        addAt(1, index, `${entryOf(id)}: marked as erased, but no erasure in this export names it`)
      else if (erasure.leafIndex < sealedSize) addAt(3, index, erasedWords(id, erasure))
      else if (index < sealedSize) addAt(4, index, erasedTooLateWords(id, erasure))
    } else if (kind === 'expired' && !mayExpire && index < sealedSize) {
      findings.addToRun(2, index, undefined, expiredWords)
    }
  }

  function check({ line, repeatsKey }: Waiting, following: number | undefined) {
    const { index, id, fault } = line
    const isFirst = checkOrder(line, following)
    if (fault !== undefined) addAt(1, index, `${entryOf(id)}: ${fault}`)
    if (repeatsKey) addAt(1, index, `${entryOf(id)}: the line has a key twice, so that readers may disagree about it`)
    checkGone(line)
    if (index >= sealedSize) findings.addToRun(4, index, id, unsealedWords)
    if (isFirst) append(line)
  }

  /** Whether a line is out of turn shows with the one behind it. */
  let waiting: Waiting | undefined

  return {
    /** @param text the line, from which the object was parsed */
    line(object: LineObject, text: string, lineNumber: number): void {
      const { leafIndex: index } = object
      if (index === undefined && typeof object.checkpoint === 'string') return
      if (!isIndex(index)) {
        findings.add({ code: 1, words: `line ${lineNumber} is neither a leaf nor a checkpoint: it has no leafIndex` })
        return
      }
      if (waiting !== undefined) check(waiting, index)
      unsealedFields.add(object)
      waiting = { line: readSealedLine(object, index), repeatsKey: hasRepeatedKeys(text, object) }
    },
    /** @returns the codes of all findings */
    end(): ReadonlySet<FindingCode> {
      if (waiting !== undefined) check(waiting, undefined)
      findings.end()
      for (const { from, to } of order.missing(sealedSize)) {
        if (from < sealedSize) findings.add(missingFinding(from, Math.min(to, sealedSize)))
        if (to > sealedSize) findings.add(unsealedGapFinding(Math.max(from, sealedSize), to))
      }
      return findings.codes
    },
    /** Names of fields that the leaves do not contain. They may be those of a later release, or added by anyone. */
    unsealedFields: unsealedFields.names,
  }
}

type Waiting = { readonly line: SealedLine; readonly repeatsKey: boolean }

const countOf = (from: number, to: number) => (to - from === 1 ? 'leaf' : `${to - from} leaves`)

function missingFinding(from: number, to: number): Finding {
  return { code: 2, leaves: { from, to }, words: `${countOf(from, to)}: no line; removed, or not part of this export` }
}

function unsealedGapFinding(from: number, to: number): Finding {
  return { code: 4, leaves: { from, to }, words: `${countOf(from, to)}: no line, and not sealed yet` }
}

const expiredWords = (subject: string) =>
  `${subject}: marked as expired; give --retention-days if the retention of this log removes entries`
const unsealedWords = (subject: string) => `${subject}: not sealed yet, behind the end of the checkpoint`

function erasedWords(id: string | undefined, { leafIndex, eventId, time }: NamedErasure): string {
  return `${entryOf(id)}: its user was erased by ${eventId} of ${time}, in leaf ${leafIndex}, and cannot be proven; everything else is unaltered`
}

function erasedTooLateWords(id: string | undefined, { leafIndex, eventId, time }: NamedErasure): string {
  return `${entryOf(id)}: its user was erased by ${eventId} of ${time}, in leaf ${leafIndex}, which is not sealed yet`
}

const rootWords = (checkpoint: string) =>
  `the leaf hashes of the export do not give the root in ${checkpoint}: ` +
  'an entry was altered, inserted or moved together with its hash, or the export is of another log'
