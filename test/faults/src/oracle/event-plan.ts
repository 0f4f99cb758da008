import { derivedId, plannedUuid } from './derived-id.ts'

/** Determines every event by its number. The producer's counterpart is producer.py. */
export type EventPlan = {
  source: string
  /** Time of event 0 in milliseconds since 1970; each event is one millisecond later than the previous one. */
  baseMs: number
  /** The events are of this many subscribers, in turn: the fewer, the more notifications has each user. */
  subscribers: number
}

export type EventKind = 'mention' | 'change' | 'receipt'
export const eventKinds: readonly EventKind[] = ['mention', 'change', 'receipt']

/** Early e-mail receipts precede their notification by this many events. */
const aheadBy = 500

export function kindOf(n: number): EventKind {
  const slot = n % 20
  return slot < 12 ? 'mention' : slot < 18 ? 'change' : 'receipt'
}

export function isPoison(n: number): boolean {
  return n % 100 === (Math.floor(n / 100) % 2 === 0 ? 41 : 57) || n % 1000 === 999
}

export const timeOf = (plan: EventPlan, n: number) => plan.baseMs + n
/** A receipt belongs to the subscriber of its notification. */
const subscriberOf = ({ subscribers }: EventPlan, n: number): Buffer =>
  plannedUuid(1, ((kindOf(n) === 'receipt' ? receiptOf(n).target : n) * 7) % subscribers)
const idOf = (plan: EventPlan, n: number) =>
  derivedId(subscriberOf(plan, n), plan.source, `event-${n}`, timeOf(plan, n))

/** Without duplicates, which some events contain. */
export function recipientsOf(n: number): Buffer[] {
  const count = n % 1000 === 500 ? 50 : 1 + (n % 3)
  return Array.from({ length: count }, (_, index) => plannedUuid(2, (n * 13 + index) % 300))
}

/** The key of a recipient's document of a mention. */
export const notificationKey = (plan: EventPlan, n: number, recipient: Buffer) =>
  Buffer.concat([subscriberOf(plan, n), recipient, idOf(plan, n)])

export const changeKey = (plan: EventPlan, n: number) => Buffer.concat([subscriberOf(plan, n), idOf(plan, n)])

export type PlannedReceipt = {
  kind: 'read' | 'email-sent'
  /** The number of the mention; the receipt is of its first recipient. */
  target: number
}

export function receiptOf(n: number): PlannedReceipt {
  const first = n - (n % 20)
  if (n % 20 === 18) return { kind: 'read', target: first + 2 }
  return { kind: 'email-sent', target: first + 3 + ((first / 20) % 4 === 0 ? aheadBy : 0) }
}

/** The receipts for the first recipient of mention `n`. */
export function receiptsAbout(n: number): number[] {
  const first = n - (n % 20)
  const candidates = n % 20 === 2 ? [first + 18] : n % 20 === 3 ? [first + 19, first - aheadBy + 19] : []
  return candidates.filter((receipt) => receipt >= 0 && !isPoison(receipt) && receiptOf(receipt).target === n)
}

/** The key of a waiting receipt: the key of its notification, then the id of its own event. */
export function waitingKey(plan: EventPlan, n: number): Buffer {
  return Buffer.concat([receiptTargetKey(plan, n), idOf(plan, n)])
}

/** The key of the notification document that a receipt refers to. */
export function receiptTargetKey(plan: EventPlan, n: number): Buffer {
  const { target } = receiptOf(n)
  return notificationKey(plan, target, recipientsOf(target)[0] as Buffer)
}
