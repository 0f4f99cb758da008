import { timeOfUuidV7 } from '@herald/contracts'
import type { FoundEvent } from '@herald/store'
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** Answers from MongoDB; `undefined` if it has no trace of the event. */
export function answerFromStorage(
  { recipientId, id, time }: Question,
  found: FoundEvent,
  { now, retentionDays }: { readonly now: Date; readonly retentionDays: number | undefined },
): Answer | undefined {
  const { notification, retraction, erasure, recipientErasedAt, waitingReceipt, retractedAt } = found
  if (found.hasChangeEntry) return { answer: 'stored', summary: 'It is an entry of the change log.' }
  if (retraction) return { ...answerWork('a retraction', retraction), details: { retraction: retraction.time } }
  if (erasure) return { ...answerWork('an erasure', erasure), details: { erasure: erasure.time } }
  if (recipientErasedAt) {
    return { answer: 'erased', summary: 'The recipient was erased.', details: { erasedAt: recipientErasedAt } }
  }
  if (waitingReceipt) {
    const { kind: receipt, notificationId: waitsFor, recipientId, since: waitingSince } = waitingReceipt
    const summary = 'It is a receipt, which waits for its notification; after 10 minutes it becomes a dead letter.'
    return { answer: 'waiting', summary, details: { receipt, waitsFor, recipientId, waitingSince } }
  }
  const known = notification && answerNotification(notification, recipientId !== undefined)
  if (known) return known
  if (retractedAt) return { answer: 'retracted', summary: 'A retraction names it.', details: { retractedAt } }
  if (notification && notification.erased > 0) {
    return { answer: 'erased', summary: 'Its recipients were erased.', details: detailsOf(notification) }
  }
  const createdAt = notification?.createdAt ?? new Date(timeOfUuidV7(id) ?? time)
  const expiredAt = new Date(createdAt.getTime() + (retentionDays ?? 0) * dayMs)
  if (retentionDays !== undefined && expiredAt <= now) {
    const summary = `It is older than RETENTION_DAYS (${retentionDays}): it was deleted, or skipped when it arrived.`
    return { answer: 'expired', summary, details: { createdAt, expiredAt } }
  }
  if (notification === undefined) return undefined
  const summary = 'Ingest began to store it and has not finished; Kafka delivers it again.'
  return { answer: 'waiting', summary, details: detailsOf(notification) }
}

function answerWork(what: string, { isDone }: { readonly isDone: boolean }): Answer {
  return isDone
    ? { answer: 'stored', summary: `It is ${what}, which was processed and holds for what arrives later.` }
    : { answer: 'waiting', summary: `It is ${what}, which is being processed.` }
}

type Notification = NonNullable<FoundEvent['notification']>

function answerNotification(notification: Notification, isOfOne: boolean): Answer | undefined {
  const { recipients, stored, retracted, dueAt } = notification
  const details = detailsOf(notification)
  if (recipients === 0 && isOfOne) {
    return { answer: 'never seen', summary: 'The event was stored, but does not name this recipient.', details }
  }
  if (dueAt) {
    const summary = 'The request was cut off; another process of ingest completes it.'
    return { answer: 'waiting', summary, details }
  }
  if (stored > 0) return { answer: 'stored', summary: 'It is in the feeds of its recipients.', details }
  if (retracted > 0) return { answer: 'retracted', summary: 'It was retracted from its recipients.', details }
  return undefined
}

function detailsOf({ isRequest, isAnnouncementDue, ...others }: Notification): Answer['details'] {
  return {
    ...others,
    announcement: isAnnouncementDue ? 'due' : undefined,
    createdBy: isRequest ? 'POST /' : undefined,
  }
}
