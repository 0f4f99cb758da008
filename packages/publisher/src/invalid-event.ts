import type { ValidationIssue } from '@herald/contracts'

/** An event that Herald would reject, with all issues; values are not quoted. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent'
  readonly issues: readonly ValidationIssue[]

  constructor(issues: readonly ValidationIssue[]) {
    super(`Invalid event: ${issues.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; ')}`)
    this.issues = issues
  }
}
