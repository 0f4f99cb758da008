import type { Binary } from 'mongodb'

export type LeaseDocument = {
  /** The work that only its holder does. */
  _id: string
  v: 1
  /** The id of a process. */
  holder: Binary
  until: Date
}
