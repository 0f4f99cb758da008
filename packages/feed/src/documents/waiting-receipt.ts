import { toKey, toUuidBinary } from '@herald/mongo'
import { Binary, type Collection } from 'mongodb'

export type ReceiptKind = 'email-sent' | 'read'

export type Receipt = {
  readonly subscriberId: string
  readonly recipientId: string
  readonly notificationId: string
  readonly kind: ReceiptKind
  readonly at: Date
  readonly eventId: string
  /** The original record, in a format chosen by the caller: an overdue receipt becomes a dead letter. */
  readonly record: string
}

/** A receipt that arrived before its notification. */
export type WaitingReceiptDocument = {
  /** The key of the notification's document ‖ the id of the receipt's event, 64 bytes. */
  _id: Binary
  v: 1
  key: Binary
  kind: ReceiptKind
  at: Date
  waitingSince: Date
  /** Until then, a process is publishing it as a dead letter. */
  leaseUntil: Date
  claimId?: Binary
  /** The consumer group that has to process the notification. */
  group: string
  record: string
}

export type WaitingReceipts = Collection<WaitingReceiptDocument>

/** The calling consumer group. Its progress is independent of other groups, one of which may replay a topic. */
export type ReceiptContext = { readonly now: Date; readonly group: string }

export function toWaiting(receipt: Receipt, { now, group }: ReceiptContext): WaitingReceiptDocument {
  const { subscriberId, recipientId, notificationId, kind, at, eventId, record } = receipt
  const key = toKey(subscriberId, recipientId, notificationId)
  const _id = new Binary(Buffer.concat([key.buffer, toUuidBinary(eventId).buffer]))
  return { _id, v: 1, key, kind, at, record, group, waitingSince: now, leaseUntil: new Date(0) }
}
