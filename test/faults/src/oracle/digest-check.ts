import type { AnnouncedEvent } from './announcement-log.ts'
import type { Violations } from './violations.ts'

type Digest = { recipientId: string; notificationIds: readonly string[] }

/** Checks digests as they are published: each notification is told of under one id, always with the same content. */
export function createDigestCheck(violations: Violations) {
  const texts = new Map<string, string>()
  /** By recipient and notification: the id of the digest. */
  const told = new Map<string, string>()
  return {
    /** @returns whether the event is a digest */
    add({ id, type, data }: AnnouncedEvent, text: string): boolean {
      if (type !== 'herald.notification.unread.v1') return false
      const known = texts.get(id)
      if (known !== undefined && known !== text) violations.add('announcement', `${id} differs: ${text}`)
      texts.set(id, text)
      const { recipientId, notificationIds } = data as unknown as Digest
      for (const notificationId of notificationIds) {
        const key = `${recipientId}/${notificationId}`
        const earlier = told.get(key)
        if (earlier !== undefined && earlier !== id) {
          violations.add('announcement', `${notificationId} is told of twice, as ${earlier} and as ${id}`)
        }
        told.set(key, id)
      }
      return true
    },
    figures: () => ({ digests: texts.size, told: told.size }),
  }
}
