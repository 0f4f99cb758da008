import type { JsonText, NewNotification } from '../notifications/notification-document.ts'
import type { Parts } from './parts.ts'

/** A notification without recipients. */
export type AnnouncedContent = Omit<NewNotification, 'recipientIds' | 'via' | 'finishBy' | 'traceparent'>

/** A fact to announce. */
export type Announcement = { readonly subscriberId: string; readonly traceparent?: string | undefined } & (
  | { readonly kind: 'created'; readonly notification: AnnouncedContent; readonly parts: Parts }
  | {
      readonly kind: 'retracted'
      readonly notificationId: string
      /** The id of the retraction's event. */
      readonly by: string
      readonly time: Date
      readonly parts: Parts
    }
  | {
      readonly kind: 'unread'
      readonly recipientId: string
      readonly newestId: string
      readonly time: Date
      /** The data of the event. */
      readonly data: JsonText
    }
)

/** The announcements of one document. */
export type DueItem = { readonly announcements: readonly Announcement[] }

/** Items that were read together. */
export type DueBatch = {
  readonly items: readonly DueItem[]
  /** They are announced. An item of which more has become due meanwhile remains due. */
  settle(items: readonly DueItem[]): Promise<void>
  /** They cannot be announced for now, and must not delay others. */
  postpone(items: readonly DueItem[], until: Date): Promise<void>
}
