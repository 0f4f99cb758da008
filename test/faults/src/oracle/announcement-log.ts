import { pause } from '../until.ts'
import { keyOfIds, notificationIdOf } from './announced-notification.ts'
import { type EventPlan, kindOf } from './event-plan.ts'
import type { Ledger } from './ledger.ts'
import type { StoredDocuments } from './stored-documents.ts'
import { followTopic, type TopicFollower, type TopicFollowerOptions } from './topic-follower.ts'
import type { Violations } from './violations.ts'

/** An announcement as it was published. */
type Announced = {
  id: string
  /** The whole event: repeated ones must be equal. */
  text: string
  count: number
}

/** Reads the topic of announcements, and checks at once that each notification can be read. */
export type AnnouncementLog = TopicFollower & {
  /** By the id of the event. */
  announced: ReadonlyMap<string, Announced>
  /** All of them, repeated ones included. */
  count(): number
  /** Whether all that was received has been compared with the store. */
  isChecked(): boolean
  /** The published mentions from `first` on that are not announced. */
  missing(first: number): string[]
}

export type AnnouncementLogOptions = Omit<TopicFollowerOptions, 'onRecord'> & {
  /** Takes an event that is not compared here; by default there are none. */
  takesOther?: (event: AnnouncedEvent, text: string) => boolean
  plan: EventPlan
  ledger: Ledger
  stored: StoredDocuments
  violations: Violations
}

export type AnnouncedEvent = {
  id: string
  type: string
  subscriberid: string
  data: { notification: { id: string }; recipientIds: string[] }
}

export function followAnnouncements(options: AnnouncementLogOptions): AnnouncementLog {
  const { plan, ledger, stored, violations, takesOther } = options
  const announced = new Map<string, Announced>()
  let unchecked: { id: string; key: Buffer }[] = []
  let isChecking = false
  let isStopped = false
  let count = 0

  const follower = followTopic({
    ...options,
    onRecord({ key, value }) {
      const text = Buffer.from(value ?? '', 'base64').toString()
      const event = JSON.parse(text) as AnnouncedEvent
      if (takesOther?.(event, text)) return
      const { id, type, subscriberid, data } = event
      count++
      if (type !== 'herald.notification.created.v1') violations.add('announcement', `${id} has the type ${type}`)
      if (Buffer.from(key ?? '', 'base64').toString() !== subscriberid) violations.add('announcement', `key of ${id}`)
      const earlier = announced.get(id)
      if (earlier === undefined) announced.set(id, { id, text, count: 1 })
      else {
        earlier.count++
        if (earlier.text !== text) violations.add('announcement', `${id} differs: ${text}`)
      }
      for (const recipientId of data.recipientIds) {
        unchecked.push({ id, key: keyOfIds(subscriberid, recipientId, data.notification.id) })
      }
    },
  })

  /** As soon as possible: later, what was announced too early would be stored. */
  const check = async (): Promise<void> => {
    while (!isStopped) {
      const current = unchecked
      unchecked = []
      isChecking = current.length > 0
      try {
        const keys = current.map(({ key }) => key)
        const found = await stored.find(stored.notifications, keys, { projection: { _id: 1 } })
        for (const { id, key } of current) {
          if (!found.has(key.toString('hex'))) violations.add('announcement', `${id} cannot be read yet`)
        }
        isChecking = false
      } catch {
        unchecked = [...current, ...unchecked]
      }
      await pause(20)
    }
  }
  void check()

  return {
    ...follower,
    announced,
    count: () => count,
    isChecked: () => unchecked.length === 0 && !isChecking,
    missing(first) {
      const ids: string[] = []
      for (let n = first; n < ledger.end(); n++) {
        if (kindOf(n) !== 'mention' || !ledger.wasPublished(n)) continue
        const id = `${notificationIdOf(plan, n)}/1`
        if (!announced.has(id)) ids.push(id)
      }
      return ids
    },
    stop() {
      isStopped = true
      follower.stop()
    },
  }
}
