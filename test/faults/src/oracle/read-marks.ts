import { Binary } from 'mongodb'
import { type EventPlan, isPoison, notificationKey, recipientsOf } from './event-plan.ts'
import type { Mark, Marks } from './expected-documents.ts'
import type { Ledger } from './ledger.ts'
import { keyText, type StoredDocuments } from './stored-documents.ts'

/** Users' marks during the campaign, written as the query service writes them. */
export type ReadMarks = {
  /** Marks some stored notifications as read, and some that a receipt has marked as read as unread again. */
  make(count: number): Promise<number>
  made: Marks
}

type ReadMarksDependencies = {
  plan: EventPlan
  ledger: Ledger
  stored: StoredDocuments
}

/** The slots of every 20 events whose first recipient marks the notification; the second also has a read receipt. */
const slotMarkedRead = 5
const slotMarkedUnread = 2

export function createReadMarks({ plan, ledger, stored }: ReadMarksDependencies): ReadMarks {
  const made = new Map<string, Mark>()
  let position = 0

  const keyOf = (n: number) => notificationKey(plan, n, recipientsOf(n)[0] as Buffer)

  const markRead = async (key: Buffer, at: Date): Promise<boolean> => {
    const { matchedCount } = await stored.notifications.updateOne(
      { _id: new Binary(key), box: 0 },
      { $set: { box: 1, readAt: at }, $max: { readStateAt: at } },
    )
    if (matchedCount === 1) made.set(key.toString('hex'), { readAt: at.getTime(), readStateAt: at.getTime() })
    return matchedCount === 1
  }

  const markUnread = async (key: Buffer, at: Date): Promise<boolean> => {
    const { matchedCount } = await stored.notifications.updateOne(
      { _id: new Binary(key), box: 1 },
      { $set: { box: 0 }, $unset: { readAt: true }, $inc: { readVersion: 1 }, $max: { readStateAt: at } },
    )
    if (matchedCount === 1) made.set(key.toString('hex'), { readAt: undefined, readStateAt: at.getTime() })
    return matchedCount === 1
  }

  return {
    made,
    async make(count) {
      const end = ledger.end()
      const candidates: number[] = []
      for (; position < end && candidates.length < count; position++) {
        const slot = position % 20
        if ((slot === slotMarkedRead || slot === slotMarkedUnread) && !isPoison(position)) candidates.push(position)
      }
      const present = await stored.find(stored.notifications, candidates.map(keyOf))
      let marked = 0
      for (const n of candidates) {
        const key = keyOf(n)
        const document = present.get(key.toString('hex'))
        if (!document || made.has(keyText(document))) continue
        const mark = n % 20 === slotMarkedRead ? markRead : markUnread
        if (await mark(key, new Date())) marked++
      }
      return marked
    },
  }
}
