import type { z } from 'zod'
import type { ValidationIssue } from './error-codes.ts'
import { createIssueList, type IssueList, pointerTo } from './issue-list.ts'

type ZodIssue = z.core.$ZodIssue

/**
 * Converts the issues of zod to issues with JSON Pointers (RFC 6901). Each unknown key is a separate issue; for a union, the
 * issues of the closest branch are reported.
 *
 * @returns them, bounded as an {@link IssueList}
 */
export function toValidationIssues(error: z.ZodError): ValidationIssue[] {
  const list = createIssueList()
  addZodIssues(list, error)
  return list.toArray()
}

export function addZodIssues(list: IssueList, error: z.ZodError): void {
  for (const issue of error.issues) for (const one of expandUnion(issue)) addIssue(list, one)
}

function addIssue(list: IssueList, issue: ZodIssue): void {
  const parent = issue.path.reduce(pointerTo, '')
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) list.add(pointerTo(parent, key), 'Unknown field')
    return
  }
  // Issues do not contain the input: only zod's message shows that a value is missing.
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  list.add(parent, isMissing ? 'Required' : issue.message)
}

// The closest branch of a union has the fewest issues; if two are equally close, only the union itself is reported.
function expandUnion(issue: ZodIssue): ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const [nearest, second] = issue.errors
    .map((issues) => issues.flatMap((nested) => expandUnion({ ...nested, path: [...issue.path, ...nested.path] })))
    .sort((a, b) => countIssues(a) - countIssues(b))
  const isClosest = nearest && (second === undefined || countIssues(nearest) < countIssues(second))
  return isClosest ? nearest : [issue]
}

function countIssues(issues: readonly ZodIssue[]): number {
  return issues.reduce((count, issue) => count + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
}
