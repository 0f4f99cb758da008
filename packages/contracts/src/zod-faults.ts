import type { z } from 'zod'
import type { InputFault } from './error-codes.ts'
import { limits } from './limits.ts'

type Issue = z.core.$ZodIssue

const toPointer = (path: readonly PropertyKey[]) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/**
 * The faults that zod found, each with its place as a JSON Pointer (RFC 6901). Every unknown key is a fault of its own;
 * of a union those of the nearest form are told.
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
  // An issue does not keep the input: that it was absent stands in zod's own wording alone.
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return [{ pointer: toPointer(issue.path), detail: isMissing ? 'Required' : issue.message }]
}

// Of the forms that a value may have, the nearest tells best what is wrong with it; two that are as near tell nothing.
function expandUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const [nearest, second] = issue.errors
    .map((issues) => issues.flatMap((nested) => expandUnion({ ...nested, path: [...issue.path, ...nested.path] })))
    .sort((a, b) => countFaults(a) - countFaults(b))
  const told = nearest && (second === undefined || countFaults(nearest) < countFaults(second))
  return told ? nearest : [issue]
}

function countFaults(issues: readonly Issue[]): number {
  return issues.reduce((count, issue) => count + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
}
