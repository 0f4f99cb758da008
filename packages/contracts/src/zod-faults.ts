import type { z } from 'zod'
import type { InputFault } from './error-codes.ts'
import { createFaultList, type FaultList, pointerTo } from './fault-list.ts'

type Issue = z.core.$ZodIssue

const toPointer = (path: readonly PropertyKey[]) => path.reduce<string>(pointerTo, '')

/**
 * Converts the issues of zod to faults with JSON Pointers (RFC 6901). Each unknown key is a separate fault; for a union, the
 * faults of the closest branch are reported.
 *
 * @returns them, bounded as a {@link FaultList}
 */
export function zodFaults(error: z.ZodError): InputFault[] {
  const faults = createFaultList()
  addZodFaults(faults, error)
  return faults.toArray()
}

/** Adds the faults that zod found to others. */
export function addZodFaults(faults: FaultList, error: z.ZodError): void {
  for (const issue of error.issues) for (const one of expandUnion(issue)) addIssue(faults, one)
}

function addIssue(faults: FaultList, issue: Issue): void {
  const parent = toPointer(issue.path)
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) faults.add(pointerTo(parent, key), 'Unknown field')
    return
  }
  // Issues do not contain the input: only zod's message shows that a value is missing.
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  faults.add(parent, isMissing ? 'Required' : issue.message)
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
