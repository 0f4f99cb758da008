import {
  createErasureIndex,
  createExportCheck,
  createLeafOrder,
  type Finding,
  type FindingCode,
  isIndex,
  mostDisorder,
} from '@herald/sealed-log'
import { CannotCheck } from './options.ts'
import type { Inputs } from './read-inputs.ts'
import { readLines, sizeOfFile } from './read-lines.ts'

export type ExportResult = {
  readonly codes: ReadonlySet<FindingCode>
  readonly leaves: number
  readonly unsealedFields: readonly string[]
}

type Target = Pick<Inputs, 'checkpoint' | 'against'> & {
  readonly mayExpire: boolean
  /** Whether the two checkpoints were compared by a consistency proof. */
  readonly isCompared: boolean
  /** Earlier findings, to be written first. */
  readonly before: readonly Finding[]
}

/**
 * Reads the export twice, a chunk at a time: first whether every line can be read and which entries were erased, because an
 * erasure is behind the entries that it names; then each line is checked.
 *
 * @param write is awaited after each chunk
 * @throws CannotCheck, before anything was written
 */
export async function verifyExport(
  file: string,
  { checkpoint, against, mayExpire, isCompared, before }: Target,
  write: (findings: readonly Finding[]) => Promise<void>,
): Promise<ExportResult> {
  const bytes = await sizeOfFile(file)
  const { erasures, lines, leaves, end } = await survey(file, bytes)
  if (lines === 0) throw new CannotCheck(`${file} is empty`)
  if (against !== undefined && !isCompared && against.size > Math.max(end, checkpoint.size)) {
    throw new CannotCheck(`the export ends at ${end}, so --against, of size ${against.size}, needs --consistency`)
  }

  let findings = [...before]
  const report = (finding: Finding) => void findings.push(finding)
  const check = createExportCheck({ checkpoint, against, isCompared, mayExpire, erasures, report })
  for await (const chunk of readLines(file, bytes)) {
    for (const { object, text, number } of chunk) check.line(object, text, number)
    await write(findings)
    findings = []
  }
  const codes = check.end()
  await write(findings)
  return { codes, leaves, unsealedFields: check.unsealedFields() }
}

async function survey(file: string, bytes: number) {
  const erasures = createErasureIndex()
  const order = createLeafOrder()
  let [lines, leaves, end] = [0, 0, 0]
  let waiting: number | undefined
  for await (const chunk of readLines(file, bytes)) {
    lines += chunk.length
    for (const { object } of chunk) {
      const { leafIndex } = object
      if (leafIndex !== undefined) leaves++
      if (!isIndex(leafIndex)) continue
      end = Math.max(end, leafIndex + 1)
      if (waiting !== undefined) order.place(waiting, leafIndex)
      waiting = leafIndex
      erasures.add(object)
    }
    if (order.disorder() > mostDisorder) {
      throw new CannotCheck(`${file} has more than ${mostDisorder} gaps and lines out of turn: sort it by leafIndex`)
    }
  }
  return { erasures, lines, leaves, end }
}
