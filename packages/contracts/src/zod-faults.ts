import type { z } from 'zod'
import type { InputFault } from './error-codes.ts'
import { createFaultList, type FaultList, pointerTo } from './fault-list.ts'

type Issue = z.core.$ZodIssue

const toPointer = (path: readonly PropertyKey[]) => path.reduce<string>(pointerTo, '')

/**
 * The faults that zod found, each with its place as a JSON Pointer (RFC 6901). Every unknown key is a fault of its own;
 * of a union those of the nearest form are told.
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
  // An issue does not keep the input: that it was absent stands in zod's own wording alone.
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  faults.add(parent, isMissing ? 'Required' : issue.message)
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
