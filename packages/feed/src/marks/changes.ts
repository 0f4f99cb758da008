import type { Document, UpdateFilter } from 'mongodb'
import { boxes, type NotificationDocument } from '../documents/notification-document.ts'

export type Change = UpdateFilter<NotificationDocument> | Document[]

type Others = Partial<Pick<NotificationDocument, 'bulkMark'>>

/*
 * Marks change these fields, by one update of a document, so that concurrent ones leave none both unread and archived. A bulk mark
 * compares `readVersion`: only what takes a mark back changes it. `readStateAt` never decreases, even if the clocks of processes differ.
 */

export const toRead = (at: Date, others: Others = {}): Change => ({
  $set: { box: boxes.read, readAt: at, ...others },
  $max: { readStateAt: at },
})

export const toUnread = (at: Date): Change => ({
  $set: { box: boxes.unread },
  $unset: { readAt: true, archivedAt: true, mutedAt: true, bulkMark: true },
  $inc: { readVersion: 1 },
  $max: { readStateAt: at },
})

export const toArchived = (at: Date, others: Others = {}): Change => [
  {
    $set: {
      box: boxes.archived,
      archivedAt: at,
      readAt: { $ifNull: ['$readAt', at] },
      readStateAt: { $max: ['$readStateAt', at] },
      ...others,
    },
  },
]

export const toUnarchived = (_at: Date, others: Others = {}): Change => ({
  $set: { box: boxes.read, ...others },
  $unset: { archivedAt: true },
  $inc: { readVersion: 1 },
})

/** Keeps the state that a notification has already, but not its version: a bulk mark may be about to change it. */
export const toKept: Change = { $inc: { readVersion: 1 } }
