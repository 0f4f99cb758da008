import { timeOfUuidV7 } from '@herald/contracts'
import type { FoundEvent } from '@herald/store'
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

/** The traces in MongoDB, and when documents expire. */
export type StorageFacts = {
  readonly question: Question
  readonly found: FoundEvent
  readonly now: Date
  readonly retentionDays: number | undefined
}

type Notification = NonNullable<FoundEvent['notification']>
type Rule = (facts: StorageFacts) => Answer | undefined

const dayMs = 24 * 60 * 60 * 1_000
const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** The first rule that applies answers. */
const rules: readonly Rule[] = [
  ({ found }) => (found.hasChangeEntry ? answer('stored', 'It is an entry of the change log.') : undefined),
  ({ found: { retraction } }) => retraction && answerRetraction(retraction),
  ({ found: { erasure } }) => erasure && answerErasure(erasure),
  ({ found: { recipientErasedAt } }) =>
    recipientErasedAt && answer('erased', 'The recipient was erased.', { erasedAt: toText(recipientErasedAt) }),
  ({ found: { waitingReceipt } }) => waitingReceipt && answerReceipt(waitingReceipt),
  ({ found: { notification }, question }) =>
    notification?.recipients === 0 && question.recipientId !== undefined
      ? answer('never seen', 'The event was stored, but does not name this recipient.', timesOf(notification))
      : undefined,
  ({ found: { notification } }) => {
    if (notification?.dueAt === undefined) return undefined
    const summary = 'The request was cut off; another process of ingest completes it.'
    return answer('waiting', summary, { ...countsOf(notification), dueAt: toText(notification.dueAt) })
  },
  ({ found: { notification } }) => (notification && notification.stored > 0 ? answerStored(notification) : undefined),
  ({ found: { notification } }) =>
    notification && notification.retracted > 0 ? answerTakenBack(notification) : undefined,
  ({ found: { retractedAt } }) =>
    retractedAt[0] && answer('retracted', 'A retraction names it.', { retractedAt: toText(retractedAt[0]) }),
  ({ found: { notification } }) =>
    notification && notification.erased > 0
      ? answer('erased', `${count(notification.erased, 'recipient')} were erased.`, countsOf(notification))
      : undefined,
  answerExpired,
  ({ found: { notification } }) => {
    if (notification === undefined) return undefined
    const summary = 'Ingest began to store it and has not finished; Kafka delivers it again.'
    return answer('waiting', summary, countsOf(notification))
  },
]

/** Answers from MongoDB; `undefined` if it has no trace of the event. */
export function answerFromStorage(facts: StorageFacts): Answer | undefined {
  for (const rule of rules) {
    const found = rule(facts)
    if (found) return withReceipts(found, facts)
  }
  return undefined
}

const toText = (date: Date | undefined) => date?.toISOString()

function answer(name: Answer['answer'], summary: string, details: Answer['details'] = {}): Answer {
  return { answer: name, summary, details, hints: [] }
}

const timesOf = ({ createdAt }: Notification) => ({ createdAt: toText(createdAt) })

function countsOf(notification: Notification): Answer['details'] {
  const { recipients, stored, retracted, erased, isRequest, isAnnouncementDue, retractedAt } = notification
  return {
    ...timesOf(notification),
    ...{ recipients, stored, retracted },
    ...(retractedAt === undefined ? {} : { retractedAt: toText(retractedAt) }),
    ...(erased > 0 ? { erased } : {}),
    ...(isAnnouncementDue ? { announcement: 'due' } : {}),
    ...(isRequest ? { createdBy: 'POST /' } : {}),
  }
}

function answerStored(notification: Notification): Answer {
  const { recipients, stored, readAt, emailSentAt } = notification
  const summary =
    stored === recipients
      ? `It is in the ${stored === 1 ? 'feed' : 'feeds'} of ${count(stored, 'recipient')}.`
      : `It is in the feeds of ${stored} of ${count(recipients, 'recipient')}.`
  return answer('stored', summary, {
    ...countsOf(notification),
    readAt: toText(readAt),
    emailSentAt: toText(emailSentAt),
  })
}

function answerTakenBack(notification: Notification): Answer {
  return answer(
    'retracted',
    `It was taken back from ${count(notification.retracted, 'recipient')}.`,
    countsOf(notification),
  )
}

function answerRetraction({ time, isDone }: NonNullable<FoundEvent['retraction']>): Answer {
  const details = { retraction: toText(time) }
  if (isDone)
    return answer('stored', 'It is a retraction, which was carried out and holds for what arrives later.', details)
  return answer('waiting', 'It is a retraction, which is being carried out.', details)
}

function answerErasure({ time, isDone }: NonNullable<FoundEvent['erasure']>): Answer {
  const details = { erasure: toText(time) }
  if (isDone)
    return answer('stored', 'It is an erasure, which was carried out and holds for what arrives later.', details)
  return answer('waiting', 'It is an erasure, which is being carried out.', details)
}

function answerReceipt({
  notificationId,
  recipientId,
  kind,
  since,
}: NonNullable<FoundEvent['waitingReceipt']>): Answer {
  const summary = 'It is a receipt, which waits for its notification; after 10 minutes it becomes a dead letter.'
  const details = { receipt: kind, waitsFor: notificationId, recipientId, waitingSince: toText(since) }
  return answer('waiting', summary, details)
}

function answerExpired({ question, found: { notification }, now, retentionDays }: StorageFacts): Answer | undefined {
  if (retentionDays === undefined) return undefined
  const created = notification?.createdAt.getTime() ?? timeOfUuidV7(question.id) ?? question.time.getTime()
  const expiredAt = created + retentionDays * dayMs
  if (expiredAt > now.getTime()) return undefined
  const summary = `It is older than RETENTION_DAYS (${retentionDays}): it was deleted, or skipped when it arrived.`
  return answer('expired', summary, {
    createdAt: new Date(created).toISOString(),
    expiredAt: new Date(expiredAt).toISOString(),
  })
}

/** Adds the receipts that wait for the notification. */
export function withReceipts(found: Answer, { found: { receiptsForIt } }: Pick<StorageFacts, 'found'>): Answer {
  if (receiptsForIt.length === 0) return found
  const since = receiptsForIt.map((receipt) => receipt.since).sort((one, other) => one.getTime() - other.getTime())[0]
  return {
    ...found,
    details: { ...found.details, receiptsWaiting: receiptsForIt.length, receiptsWaitingSince: toText(since) },
  }
}
