import { derivedId, plannedUuid } from './event-id.ts'

/** Which events there are and what they say, by number alone: the producer's half of it stands in producer.py. */
export interface EventPlan {
  source: string
  /** Milliseconds since 1970 of event 0; each is a millisecond after the one before. */
  baseMs: number
}

export type EventKind = 'mention' | 'change' | 'receipt'
export const eventKinds: readonly EventKind[] = ['mention', 'change', 'receipt']

/** E-mail receipts that come ahead are so many events before their notification. */
const aheadBy = 500

export function kindOf(n: number): EventKind {
  const slot = n % 20
  return slot < 12 ? 'mention' : slot < 18 ? 'change' : 'receipt'
}

export function isPoison(n: number): boolean {
  return n % 100 === (Math.floor(n / 100) % 2 === 0 ? 41 : 57) || n % 1000 === 999
}

export const timeOf = (plan: EventPlan, n: number) => plan.baseMs + n
/** A receipt belongs to the subscriber of what it is about. */
export const subscriberOf = (n: number): Buffer =>
  plannedUuid(1, ((kindOf(n) === 'receipt' ? receiptOf(n).target : n) * 7) % 997)
export const idOf = (plan: EventPlan, n: number) =>
  derivedId(subscriberOf(n), plan.source, `event-${n}`, timeOf(plan, n))

/** Each once, though some events name one twice. */
export function recipientsOf(n: number): Buffer[] {
  const count = n % 1000 === 500 ? 50 : 1 + (n % 3)
  return Array.from({ length: count }, (_, index) => plannedUuid(2, (n * 13 + index) % 300))
}

/** The key of a recipient's document of a mention. */
export const notificationKey = (plan: EventPlan, n: number, recipient: Buffer) =>
  Buffer.concat([subscriberOf(n), recipient, idOf(plan, n)])

export const changeKey = (plan: EventPlan, n: number) => Buffer.concat([subscriberOf(n), idOf(plan, n)])

export interface PlannedReceipt {
  kind: 'read' | 'email-sent'
  /** The mention that it is about; always its first recipient's. */
  target: number
}

export function receiptOf(n: number): PlannedReceipt {
  const first = n - (n % 20)
  if (n % 20 === 18) return { kind: 'read', target: first + 2 }
  return { kind: 'email-sent', target: first + 3 + ((first / 20) % 4 === 0 ? aheadBy : 0) }
}

/** The receipts that are about the first recipient of mention `n`. */
export function receiptsAbout(n: number): number[] {
  const first = n - (n % 20)
  const candidates = n % 20 === 2 ? [first + 18] : n % 20 === 3 ? [first + 19, first - aheadBy + 19] : []
  return candidates.filter((receipt) => receipt >= 0 && !isPoison(receipt) && receiptOf(receipt).target === n)
}

/** A waiting receipt's key: its notification's key, then the id of its own event. */
export function waitingKey(plan: EventPlan, n: number): Buffer {
  return Buffer.concat([receiptTargetKey(plan, n), idOf(plan, n)])
}

/** The key of the document that a receipt is about. */
export function receiptTargetKey(plan: EventPlan, n: number): Buffer {
  const { target } = receiptOf(n)
  return notificationKey(plan, target, recipientsOf(target)[0] as Buffer)
}
