import type { z } from 'zod'
import type { InputFault } from './error-codes.ts'

const toPointer = (path: readonly PropertyKey[]) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The faults that zod found, each with its place as a JSON Pointer; every unknown key is a fault of its own. */
export function zodFaults(error: z.ZodError): InputFault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ pointer: toPointer([...issue.path, key]), detail: 'Is not known here' }))
      : [{ pointer: toPointer(issue.path), detail: issue.message }],
  )
}
