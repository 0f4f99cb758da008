import type { JsonText } from '@herald/mongo'
import type { Parts } from './parts.ts'

export type Announcement = { readonly subscriberId: string; readonly traceparent?: string | undefined } & (
  | {
      readonly kind: 'created'
      readonly notificationId: string
      readonly time: Date
      /** As it is stored, without recipients. */
      readonly notification: JsonText
      readonly parts: Parts
    }
  | {
      readonly kind: 'retracted'
      readonly notificationId: string
      readonly by: string
      readonly time: Date
      readonly parts: Parts
    }
  | {
      readonly kind: 'unread'
      readonly recipientId: string
      readonly newestId: string
      readonly time: Date
      readonly data: JsonText
    }
)

export type DueItem = { readonly announcements: readonly Announcement[] }

export type DueBatch = {
  readonly items: readonly DueItem[]
  /** They are announced. An item of which more has become due meanwhile remains due. */
  settle(items: readonly DueItem[]): Promise<void>
  /** They cannot be announced for now, and must not delay others. */
  postpone(items: readonly DueItem[], until: Date): Promise<void>
}
