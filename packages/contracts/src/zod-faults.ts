import type { z } from 'zod'
import type { InputFault } from './error-codes.ts'
import { limits } from './limits.ts'

type Issue = z.core.$ZodIssue

const toPointer = (path: readonly PropertyKey[]) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/**
 * Converts the issues of zod to faults with JSON Pointers (RFC 6901). Each unknown key is a separate fault; for a union, the
 * faults of the closest branch are reported.
 *
 * @returns the first of them, at most {@link limits.faults}
 */
export function zodFaults(error: z.ZodError): InputFault[] {
  return error.issues.slice(0, limits.faults).flatMap(expandUnion).flatMap(toFaults).slice(0, limits.faults)
}

function toFaults(issue: Issue): InputFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ pointer: toPointer([...issue.path, key]), detail: 'Unknown field' }))
  }
  // Issues do not contain the input: only zod's message shows that a value is missing.
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return [{ pointer: toPointer(issue.path), detail: isMissing ? 'Required' : issue.message }]
}

// The closest branch of a union has the fewest faults; if two are equally close, only the union itself is reported.
function expandUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const [nearest, second] = issue.errors
    .map((issues) => issues.flatMap((nested) => expandUnion({ ...nested, path: [...issue.path, ...nested.path] })))
    .sort((a, b) => countFaults(a) - countFaults(b))
  const isClosest = nearest && (second === undefined || countFaults(nearest) < countFaults(second))
  return isClosest ? nearest : [issue]
}

function countFaults(issues: readonly Issue[]): number {
  return issues.reduce((count, issue) => count + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
}
