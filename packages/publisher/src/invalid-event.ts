import type { InputFault } from '@herald/contracts'

/** An event that Herald would not take, with every fault at once; values are not quoted. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent'
  readonly faults: readonly InputFault[]

  constructor(faults: readonly InputFault[]) {
    super(
      `Herald would not take this event: ${faults.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; ')}`,
    )
    this.faults = faults
  }
}
