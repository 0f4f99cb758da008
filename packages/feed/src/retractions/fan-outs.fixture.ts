import { makeUuidV7 } from '@herald/contracts'
import { start, subscriberId, uuid } from '@herald/mongo/testing'
import { ada, bob, cleo } from '@herald/persons/testing'
import type { FeedCollections } from '../documents/collections.ts'
import type { NewNotification } from '../documents/notification-document.ts'
import type { Retraction, RetractionTarget } from '../documents/tombstone-document.ts'
import { newNotification } from '../new-notification.fixture.ts'

/** The collections that retractions need. */
export const withoutErasures: (keyof FeedCollections)[] = ['fanOuts', 'notifications', 'tombstones', 'tombstoneHeads']

/** The n-th notification, created n seconds after the start. */
export function mention(n: number, changes: Partial<NewNotification> = {}): NewNotification {
  const id = makeUuidV7(start + n * 1_000, Buffer.from(n.toString(16).padStart(20, '0'), 'hex'))
  return newNotification(id, { recipientIds: [uuid(2), uuid(3)], ...changes })
}

/** The n-th retraction. */
export function retraction(
  n: number,
  target: RetractionTarget,
  { seconds = 1_000_000, ...changes }: Partial<Retraction> & { seconds?: number } = {},
): Retraction {
  return { subscriberId, eventId: uuid(50_000 + n), time: new Date(start + seconds * 1_000), target, ...changes }
}

/** The n-th mention, written by Ada to Bob and Cleo. */
export const byAda = (n: number, changes: Partial<NewNotification> = {}) =>
  mention(n, {
    actor: { id: ada, name: 'Ada L.', image: 'ada.png' },
    metadata:
      '{"mention":{"entityType":"e","snippet":"Ada L. wrote","mentionerName":"Ada L."},"add":{"b":1,"a":2},"edit":{}}',
    recipientIds: [bob, cleo],
    ...changes,
  })
