/** Selects the announcements of stored notifications and applied retractions. */
export type Announcing = {
  /** Whether a fact of this time is still announced. */
  isRecent(time: Date): boolean
  /** Called with the number of facts that are not announced because of their age. */
  onTooOld(count: number): void
  now(): Date
  /** The time after which unread notifications are announced; never without it. */
  readonly unreadAfterMs?: number | undefined
}
