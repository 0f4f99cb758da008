import type { InputFault } from './error-codes.ts'

/** All faults on one line: `/data/subjectId: Must be a UUID; …`. */
export function describeFaults(faults: readonly InputFault[], under = ''): string {
  return faults.map(({ pointer, detail }) => `${under}${pointer || '/'}: ${detail}`).join('; ')
}
