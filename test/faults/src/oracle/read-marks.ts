import { Binary } from 'mongodb'
import { type EventPlan, isPoison, notificationKey, recipientsOf } from './event-plan.ts'
import type { Mark, Marks } from './expected-documents.ts'
import type { Ledger } from './ledger.ts'
import { keyText, type StoredDocuments } from './stored-documents.ts'

/** Marks that users make while events come in, written as the query service writes them. */
export interface ReadMarks {
  /** Marks some of what is stored: unread ones as read, and some that a receipt has read as unread again. */
  make(count: number): Promise<number>
  made: Marks
}

interface ReadMarksDependencies {
  plan: EventPlan
  ledger: Ledger
  stored: StoredDocuments
}

/** Of these events of every 20 the first recipient's notification is marked; the second has a read receipt, too. */
const slotMarkedRead = 5
const slotMarkedUnread = 2

const changedAt = (at: Date) => ({ $inc: { readVersion: 1 }, $max: { readStateAt: at } })

export function createReadMarks({ plan, ledger, stored }: ReadMarksDependencies): ReadMarks {
  const made = new Map<string, Mark>()
  let position = 0

  const keyOf = (n: number) => notificationKey(plan, n, recipientsOf(n)[0] as Buffer)

  const markRead = async (key: Buffer, at: Date): Promise<boolean> => {
    const { matchedCount } = await stored.notifications.updateOne(
      { _id: new Binary(key), unread: true },
      { $set: { readAt: at }, $unset: { unread: true }, ...changedAt(at) },
    )
    if (matchedCount === 1) made.set(key.toString('hex'), { readAt: at.getTime(), readStateAt: at.getTime() })
    return matchedCount === 1
  }

  const markUnread = async (key: Buffer, at: Date): Promise<boolean> => {
    const { matchedCount } = await stored.notifications.updateOne(
      { _id: new Binary(key), unread: { $exists: false } },
      { $set: { unread: true }, $unset: { readAt: true }, ...changedAt(at) },
    )
    if (matchedCount === 1) made.set(key.toString('hex'), { readAt: undefined, readStateAt: at.getTime() })
    return matchedCount === 1
  }

  return {
    made,
    async make(count) {
      const end = ledger.end()
      const wanted: number[] = []
      for (; position < end && wanted.length < count; position++) {
        const slot = position % 20
        if ((slot === slotMarkedRead || slot === slotMarkedUnread) && !isPoison(position)) wanted.push(position)
      }
      const present = await stored.find(stored.notifications, wanted.map(keyOf))
      let marked = 0
      for (const n of wanted) {
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
