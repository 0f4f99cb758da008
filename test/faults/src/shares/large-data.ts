import { randomUUID } from 'node:crypto'
import type { StoredChangeEntry } from '@herald/change-log'
import type { NewNotification } from '@herald/feed'
import type { Store } from '@herald/store'

export type Person = { readonly subscriberId: string; readonly userId: string; readonly token: string }

const storedAtOnce = 50
const mention = { mentionerName: 'Eve', snippet: 'Look', entityType: 'portfolio' }
const metadataOf = (bytes: number) => ({ mention, add: { text: 'x'.repeat(bytes) }, edit: {} })

/** Fills a person's feed, and returns the ids of what it stored. */
export async function fillFeed(
  store: Pick<Store, 'notifications'>,
  person: Person,
  count: number,
  bytes: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += storedAtOnce) {
    const length = Math.min(storedAtOnce, count - n)
    const notifications = Array.from({ length }, () => notificationOf(person, bytes))
    await store.notifications.insertNew(notifications)
    ids.push(...notifications.map(({ id }) => id))
  }
  return ids
}

/** Fills the change log of a person's subscriber. */
export async function fillLog(store: Pick<Store, 'changeEntries'>, person: Person, count: number, bytes: number) {
  for (let n = 0; n < count; n += storedAtOnce) {
    const length = Math.min(storedAtOnce, count - n)
    await store.changeEntries.insertNew(Array.from({ length }, () => changeEntryOf(person, bytes)))
  }
}

/** The body of a creation for 1,000 recipients, as large as it may be. */
export function largeCreation(): string {
  const { type, actorType, subjectId, subjectType, locationId, locationType } = placeOf(randomUUID())
  const recipientIds = Array.from({ length: 1_000 }, () => randomUUID())
  const metadata = metadataOf(15_000)
  return JSON.stringify({ type, actorType, subjectId, subjectType, locationId, locationType, metadata, recipientIds })
}

const placeOf = (id: string) =>
  ({
    type: 'mention',
    actorType: 'user',
    subjectId: id,
    subjectType: 'user',
    locationId: id,
    locationType: 'comment',
  }) as const

function newId() {
  const time = Date.now().toString(16).padStart(12, '0')
  return {
    id: `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`,
    createdAt: new Date(Number.parseInt(time, 16)),
  }
}

function notificationOf({ subscriberId, userId }: Person, bytes: number): NewNotification {
  const actor = { id: userId, name: 'Eve', image: '' }
  const metadata = JSON.stringify(metadataOf(bytes))
  return { ...newId(), ...placeOf(userId), subscriberId, recipientIds: [userId], actor, metadata }
}

function changeEntryOf({ subscriberId, userId }: Person, bytes: number): StoredChangeEntry {
  return {
    ...newId(),
    subscriberId,
    user: { id: userId, name: 'Eve', email: '' },
    entityType: 'portfolio',
    entityId: 'one',
    entityTitle: 'Growth',
    actionType: 'update',
    changedField: 'text',
    beforeState: 'null',
    afterState: JSON.stringify('x'.repeat(bytes)),
  }
}
