import { toKey, uuidIn } from '../binary.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { ReceiptKind, WaitingReceipts } from '../receipts/waiting-receipt.ts'
import type { Wanted } from './find-notification.ts'

/** A receipt that waits for its notification. */
export type FoundReceipt = {
  readonly eventId: string
  readonly notificationId: string
  readonly recipientId: string
  readonly kind: ReceiptKind
  readonly since: Date
}

const first = '00000000-0000-0000-0000-000000000000'
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Waiting receipts of a subscriber that are examined; usually there are none. */
const examined = 200_000

/** Finds the waiting receipts that are the event, or that wait for the notification that the event creates. */
export async function findReceipts(
  waiting: WaitingReceipts,
  { subscriberId, id, recipientId }: Wanted,
): Promise<FoundReceipt[]> {
  const range = {
    $gte: toKey(subscriberId, recipientId ?? first, first, first),
    $lte: toKey(subscriberId, recipientId ?? last, last, last),
  }
  const projection = { kind: 1, waitingSince: 1 } as const
  const found: FoundReceipt[] = []
  for await (const { _id, kind, waitingSince } of waiting
    .find({ _id: range }, { ...readLimits, projection })
    .limit(examined)) {
    const [notificationId, eventId] = [uuidIn(_id, 2), uuidIn(_id, 3)]
    if (notificationId !== id && eventId !== id) continue
    found.push({ eventId, notificationId, recipientId: uuidIn(_id, 1), kind, since: waitingSince })
  }
  return found
}
