import type { Binary } from 'mongodb'
import type { ErasedPerson } from './erased-person.ts'
import type { ErasurePhase } from './erasure-document.ts'

export type PhaseInput = {
  readonly subscriberId: string
  readonly eventId: string
  readonly personId: string
  readonly person: ErasedPerson
  readonly after: Binary | undefined
}

export type PhaseOutcome = { readonly erased: number; readonly after?: Binary | undefined }

/** The work of each phase, which the rooms that store something of persons bring. */
export type EraseSteps = Readonly<Record<ErasurePhase, (input: PhaseInput) => Promise<PhaseOutcome>>>
