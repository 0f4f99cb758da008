import type { InputFault } from '@herald/contracts'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** How many faults are told at most. A body that has more is answered with the first of them. */
export const maxInputFaults = 100

/** The message of an issue that zod's own wording would hide. For `safeParse`'s `error`. */
export function describeIssue(issue: {
  readonly code?: string | undefined
  readonly input?: unknown
}): string | undefined {
  return issue.code === 'invalid_type' && issue.input === undefined ? 'Is required' : undefined
}

/** The faults of a value that a zod schema refused, each with its JSON Pointer; one for each unknown key. */
export function toInputFaults(error: z.core.$ZodError): InputFault[] {
  return error.issues.flatMap((issue) => flatten(issue, []))
}

function flatten(issue: Issue, parent: Path): InputFault[] {
  const path = [...parent, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ pointer: toPointer([...path, key]), detail: 'Is not known here' }))
  }
  if (issue.code === 'invalid_union') return flattenUnion(issue.errors, path, issue.message)
  return [{ pointer: toPointer(path), detail: issue.message }]
}

// Of the forms that a value may have, the nearest tells best what is wrong with it.
function flattenUnion(forms: readonly (readonly Issue[])[], path: Path, message: string): InputFault[] {
  const [nearest, second] = forms
    .map((issues) => issues.flatMap((issue) => flatten(issue, path)))
    .sort((a, b) => a.length - b.length)
  const told = nearest && (second === undefined || nearest.length < second.length)
  return told ? nearest : [{ pointer: toPointer(path), detail: message }]
}

/** A JSON Pointer (RFC 6901) without `#`. */
export function toPointer(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
