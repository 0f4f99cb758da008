import type { Message } from 'kafkajs'
import { batchesOf } from './batches.ts'
import type { RecordPosition } from './committed-offsets.ts'
import { derivedId } from './derived-id.ts'
import { binary, change, type Event, mention, structured, timesUntilNow } from './events.ts'
import { recordsPerRequest, type TestHerald } from './herald.ts'
import type { ChangeEntry, Page } from './spec-shapes.ts'
import type { Stored } from './stored.ts'
import type { User } from './user.ts'

export type Load = { mentions: Item[]; changes: Item[] }
type Item = { id: string; message: Message & { partition: number } }
type Published = RecordPosition & { id: string }

/**
 * `count` events for one user, half mentions and half changes, in both content modes, with the ids to be stored. A quarter is
 * for later, so that not everything can be stored before a process is stopped.
 */
export function loadFor({ id, subscriberId }: User, count: number) {
  const attributes = timesUntilNow(count / 2).map((time) => ({ subscriberid: subscriberId, time }))
  const mentions = attributes.map((each) => mention([id], each)).map(toItem)
  const changes = attributes.map((each) => change(each)).map(toItem)
  const idsOf = (items: Item[]) => items.map((item) => item.id).sort()
  const soon = Math.ceil((count / 2) * 0.75)
  const now: Load = { mentions: mentions.slice(0, soon), changes: changes.slice(0, soon) }
  const later: Load = { mentions: mentions.slice(soon), changes: changes.slice(soon) }
  const stored: Stored = { notifications: idsOf(mentions), changeEntries: idsOf(changes) }
  return { now, later, stored }
}

const toItem = (event: Event, index: number): Item => ({
  id: derivedId(event),
  message: { ...(index % 2 ? binary(event) : structured(event)), partition: index % 3 },
})

/** Publishes both kinds concurrently and returns the position of each event. */
export async function publishLoad(herald: TestHerald, load: Load): Promise<Published[]> {
  const { mention: mentionTopic, change: changeTopic } = herald.topics
  const published = [publishItems(herald, mentionTopic, load.mentions), publishItems(herald, changeTopic, load.changes)]
  return (await Promise.all(published)).flat()
}

async function publishItems(herald: TestHerald, topic: string, items: Item[]): Promise<Published[]> {
  const published: Published[] = []
  for (const request of batchesOf(items, recordsPerRequest)) {
    const messages = request.map(({ message }) => message)
    for (const { partition, baseOffset = '' } of await herald.publish(topic, messages)) {
      const stored = request.filter(({ message }) => message.partition === partition)
      published.push(
        ...stored.map(({ id }, index) => ({ id, topic, partition, offset: BigInt(baseOffset) + BigInt(index) })),
      )
    }
  }
  return published
}

/** Sorted ids of everything that a user sees over HTTP; an id that is listed twice appears twice. */
export async function idsListed(user: User): Promise<Stored> {
  const notifications: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const answer = await user.get(`/?limit=100${next && `&cursor=${next}`}`)
    const { data } = answer.json as { data: Page }
    notifications.push(...data.notifications.map(({ id }) => id))
    next = data.nextCursor
  }
  const answer = await user.get('/change-entries/all')
  const entries = (answer.json as { data: ChangeEntry[] }).data
  return { notifications: notifications.sort(), changeEntries: entries.map(({ id }) => id).sort() }
}
