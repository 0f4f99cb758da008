import type { ValidationIssue } from './error-codes.ts'
import { limits } from './limits.ts'

export type IssueList = ReturnType<typeof createIssueList>

/** Collects the validation issues of one input, bounded in number and bytes. */
export function createIssueList() {
  const kept: ValidationIssue[] = []
  let count = 0
  let bytes = 0
  return {
    add(pointer: string, detail: string): void {
      count++
      // The first issue that does not fit closes the list, so that the list has no gaps.
      if (kept.length >= limits.issues || bytes > limits.issueBytes) return
      const issue = { pointer: cutText(pointer), detail: cutText(detail) }
      bytes += Buffer.byteLength(JSON.stringify(issue)) + 1
      if (bytes <= limits.issueBytes) kept.push(issue)
    },
    count: () => count,
    /**
     * @returns at most {@link limits.issues} of them, of {@link limits.issueBytes} as JSON; where there are more, the last
     *   entry says how many
     */
    toArray(): ValidationIssue[] {
      if (kept.length === count) return kept
      const listed = kept.slice(0, limits.issues - 1)
      return [...listed, { pointer: '', detail: `${count - listed.length} more issues` }]
    },
  }
}

/** Appends a key to a JSON Pointer (RFC 6901). Cuts it while building: a key may be a megabyte. */
export function pointerTo(parent: string, key: PropertyKey): string {
  if (parent.length >= limits.issueCharacters) return parent
  return cutText(`${parent}/${cutText(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

/** Cuts a text to {@link limits.issueCharacters} without splitting a surrogate pair; marks the cut with an ellipsis. */
function cutText(text: string): string {
  if (text.length <= limits.issueCharacters) return text
  return `${text.slice(0, limits.issueCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Room for the words that say how many issues are left. */
const restCharacters = 24

/** Issues on one line: `/data/subjectId: Must be a UUID; …`. Those that would make it longer than a detail are counted. */
export function describeIssues(issues: readonly ValidationIssue[], under = ''): string {
  let line = ''
  for (const [index, { pointer, detail }] of issues.entries()) {
    const next = `${index === 0 ? '' : '; '}${under + pointer || '/'}: ${detail}`
    const isLast = index === issues.length - 1
    const room = limits.deadLetterDetailBytes - (isLast ? 0 : restCharacters)
    if (line.length + next.length > room) return `${line}; ${issues.length - index} more`
    line += next
  }
  return line
}
