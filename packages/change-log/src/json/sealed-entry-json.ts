import { encodeDocuments, output, toWords, writeWords } from '@herald/mongo'
import { writeChangeEntry } from './change-entry-json.ts'

/** A line of a sealed export with an entry. */
export type EntryLine = {
  readonly document: Buffer
  /** The line up to the entry, in ASCII; at most 1 KiB. */
  readonly opening: string
  readonly isErased: boolean
}

const lineEnd = toWords('}\n')
const erasedLineEnd = toWords(',"gone":"erased"}\n')

export function encodeEntryLines(lines: readonly EntryLine[]): Buffer {
  let next = 0
  return encodeDocuments(
    lines.map(({ document }) => document),
    (input, at) => {
      const { opening, isErased } = lines[next++] as EntryLine
      output.length += output.bytes.write(opening, output.length, 'latin1')
      writeChangeEntry(input, at)
      writeWords(isErased ? erasedLineEnd : lineEnd)
    },
  )
}
