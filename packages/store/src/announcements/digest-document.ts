import type { Binary } from 'mongodb'
import type { JsonText } from '../notifications/notification-document.ts'

/** The unread notifications of one recipient at one location that are announced together. Written before it is published. */
export type DigestDocument = {
  /** subscriber ‖ recipient ‖ id of the notification that was due, 48 bytes. */
  _id: Binary
  v: 1
  /** The keys of the notifications, newest first. Each is in one digest, so that it is announced as unread once. */
  notifications: Binary[]
  /** When the oldest of them had been unread for the configured time. */
  time: Date
  /** The data of the event, until it is announced. */
  data?: JsonText
  announceAt?: Date
  /** When it may be deleted. No notification in it is due any more by then. */
  keptUntil: Date
  /** The same, once it is announced. */
  expiresAt?: Date
}
