import { once } from 'node:events'
import type { Writable } from 'node:stream'
import {
  type Checkpoint,
  compareCheckpoints,
  type Finding,
  type FindingCode,
  formatFinding,
  toPlainText,
} from '@herald/sealed-log'
import { type Options, parseOptions, usage } from './options.ts'
import { type Inputs, readInputs } from './read-inputs.ts'
import { reasonOf } from './read-lines.ts'
import { type ExportResult, verifyExport } from './verify-export.ts'

type Streams = {
  /** Receives the findings. */
  readonly output: Writable
  /** Receives notes for a person. */
  readonly notes: Writable
}

const results: Readonly<Record<FindingCode | 0, string>> = {
  0: 'whole',
  1: 'altered',
  2: 'entries are missing',
  3: 'whole, but for users that were erased by erasures in the log',
  4: 'whole as far as it is sealed',
}

/** @returns the exit code: the lowest code above 0 that was found, or 5 and nothing else */
export async function verify(args: readonly string[], streams: Streams): Promise<number> {
  try {
    const options = parseOptions(args)
    if (options === 'help') {
      await print(streams.output, usage)
      return 0
    }
    const codes = await check(options, await readInputs(options), streams)
    const code = codes.size === 0 ? 0 : (Math.min(...codes) as FindingCode)
    await print(streams.notes, `Result: ${results[code]}\n`)
    return code
  } catch (error) {
    await print(streams.output, `5 - ${reasonOf(error as Error)}\n`)
    return 5
  }
}

async function check(options: Options, inputs: Inputs, { output, notes }: Streams): Promise<ReadonlySet<FindingCode>> {
  const { checkpoint, against, consistency } = inputs
  const write = (findings: readonly Finding[]) =>
    print(output, findings.map((finding) => `${formatFinding(finding)}\n`).join(''))

  const compared = against && compareCheckpoints(checkpoint, against, consistency)
  const before = compared === undefined ? [] : [compared]
  const codes = new Set(before.map(({ code }) => code))
  if (options.exportFile === undefined) {
    await write(before)
    return codes
  }
  const mayExpire = options.retentionDays !== undefined
  const isCompared = consistency !== undefined
  const target = { checkpoint, against, mayExpire, isCompared, before }
  const result = await verifyExport(options.exportFile, target, write)
  await print(notes, noteOn(result, checkpoint))
  return new Set([...codes, ...result.codes])
}

function noteOn({ leaves, unsealedFields }: ExportResult, { size }: Checkpoint): string {
  const counts = `${leaves} leaves read; the checkpoint has size ${size}\n`
  if (unsealedFields.length === 0) return counts
  const names = unsealedFields.map((name) => JSON.stringify(name)).join(', ')
  return `${counts}Not verified, because no leaf contains them: ${names}\n`
}

/** Waits for a reader that is slow, so that findings are not held. Nothing from a file or an argument steers the terminal. */
async function print(stream: Writable, text: string): Promise<void> {
  if (!stream.write(toPlainText(text))) await once(stream, 'drain')
}
