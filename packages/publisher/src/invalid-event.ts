import type { InputFault } from '@herald/contracts'

/** An event that Herald would reject, with all faults; values are not quoted. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent'
  readonly faults: readonly InputFault[]

  constructor(faults: readonly InputFault[]) {
    super(`Invalid event: ${faults.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; ')}`)
    this.faults = faults
  }
}
