import type { Binary } from 'mongodb'

/** A retraction, kept so that what it took back stays away when its event is replayed or arrives later. */
export type TombstoneDocument = {
  /** subscriber ‖ id of the retraction's event, 32 bytes. */
  _id: Binary
  v: 1
  /** subscriber ‖ notification id, 32 bytes, or subscriber ‖ location id ‖ location type, longer. */
  target: Binary
  /** The latest `createdAt` that it applies to; that of the notification if the target is one. */
  until: Date
  time: Date
  /** Only these recipients, sorted, 16 bytes each; absent for all. */
  recipients?: Binary
  /** The key of the last fan-out of the location that was taken back; a retry continues after it. */
  doneUpTo?: Binary
  /** When another process finishes the retraction of a request; removed once it is done. */
  dueAt?: Date
  /** W3C Trace Context of the event or request. */
  traceparent?: string
  /** Everything that was stored before the tombstone has been taken back. */
  done?: true
  /** The start of the retention period. */
  keptFrom: Date
}
