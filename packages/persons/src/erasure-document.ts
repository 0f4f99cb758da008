import type { Binary } from 'mongodb'

/** Erases a person: what Herald stores about them and was created up to `time`. */
export type Erasure = {
  readonly subscriberId: string
  readonly eventId: string
  readonly time: Date
  readonly personId: string
}

/** The parts of the work, in this order. Each can be repeated. */
export const erasurePhases = [
  'feed',
  'mutes',
  'receipts',
  'requests',
  'changes',
  'fan-outs',
  'tombstones',
  'digests',
] as const
export type ErasurePhase = (typeof erasurePhases)[number]

/** The work that is left. It contains the person's id, and is removed when the work is done. */
export type ErasureWork = {
  personId: Binary
  phase: ErasurePhase
  /** The last key of the phase that was examined; absent at its beginning. */
  after?: Binary
  erased: number
  /** When it was accepted, or its last step done, by MongoDB's clock. */
  since: Date
}

/** An erasure, kept so that replayed events of the person are masked: its tombstone, and the work until it is done. */
export type ErasureDocument = {
  /** subscriber ‖ id of the erasure's event, 32 bytes. */
  _id: Binary
  v: 1
  /** subscriber ‖ pseudonym of the person, 32 bytes. */
  target: Binary
  /** The time of the erasure: the latest `createdAt` that it applies to. */
  until: Date
  work?: ErasureWork
  /** Until it is in the recorded order, and the user salts are gone, or it is known to have taken the user of no entry there. */
  unrecorded?: true
  /** When the feed is erased once more, and the enciphered id of the person. Set with the last step, removed afterwards. */
  dueAt?: Date
  sealedId?: Binary
  keptFrom: Date
}
