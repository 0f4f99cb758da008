import type { InputFault } from './error-codes.ts'
import { limits } from './limits.ts'

/** Room for the words that say how many faults are left. */
const restCharacters = 24

/** Faults on one line: `/data/subjectId: Must be a UUID; …`. Those that would make it longer than a detail are counted. */
export function describeFaults(faults: readonly InputFault[], under = ''): string {
  let line = ''
  for (const [index, { pointer, detail }] of faults.entries()) {
    const next = `${index === 0 ? '' : '; '}${under}${pointer || '/'}: ${detail}`
    const isLast = index === faults.length - 1
    const room = limits.deadLetterDetailBytes - (isLast ? 0 : restCharacters)
    if (line.length + next.length > room) return `${line}; ${faults.length - index} more`
    line += next
  }
  return line
}
