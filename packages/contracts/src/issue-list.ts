import type { ValidationIssue } from './error-codes.ts'
import { limits } from './limits.ts'

/** Collects the validation issues of one input, bounded in number and bytes. */
export type IssueList = {
  add(pointer: string, detail: string): void
  /** The number of issues added. */
  count(): number
  /**
   * @returns at most {@link limits.issues} of them, of {@link limits.issueBytes} as JSON; where there are more, the last
   *   entry says how many
   */
  toArray(): ValidationIssue[]
}

export function createIssueList(): IssueList {
  const kept: ValidationIssue[] = []
  let count = 0
  let bytes = 0
  return {
    add(pointer, detail) {
      count++
      // The first issue that does not fit closes the list, so that the list has no gaps.
      if (kept.length >= limits.issues || bytes > limits.issueBytes) return
      const issue = { pointer: cutText(pointer), detail: cutText(detail) }
      bytes += Buffer.byteLength(JSON.stringify(issue)) + 1
      if (bytes <= limits.issueBytes) kept.push(issue)
    },
    count: () => count,
    toArray() {
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
