import { type InputFault, zodFaults } from '@herald/contracts'
import { z } from 'zod'

type Issue = z.core.$ZodIssue

/** How many faults are told at most. A request that has more is answered with the first of them. */
export const maxInputFaults = 100

type RawIssue = { readonly code?: string | undefined; readonly input?: unknown }

/** The message of an issue that zod's own wording would hide. For `safeParse`'s `error`. */
export function describeIssue(issue: RawIssue): string | undefined {
  return issue.code === 'invalid_type' && issue.input === undefined ? 'Is required' : undefined
}

/** The faults of a value that a zod schema refused, each with its JSON Pointer. */
export function toInputFaults(error: z.ZodError): InputFault[] {
  return zodFaults(new z.ZodError(error.issues.flatMap(expandUnion)))
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
