import type { ValidationIssue } from './error-codes.ts'
import { limits } from './limits.ts'

/** Room for the words that say how many issues are left. */
const restCharacters = 24

/** Issues on one line: `/data/subjectId: Must be a UUID; …`. Those that would make it longer than a detail are counted. */
export function describeIssues(issues: readonly ValidationIssue[], under = ''): string {
  let line = ''
  for (const [index, { pointer, detail }] of issues.entries()) {
    const next = `${index === 0 ? '' : '; '}${under}${pointer || '/'}: ${detail}`
    const isLast = index === issues.length - 1
    const room = limits.deadLetterDetailBytes - (isLast ? 0 : restCharacters)
    if (line.length + next.length > room) return `${line}; ${issues.length - index} more`
    line += next
  }
  return line
}
