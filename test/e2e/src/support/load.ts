import type { Message } from 'kafkajs'
import type { Place } from './committed-offsets.ts'
import { derivedId } from './derived-id.ts'
import { binary, change, type Event, mention, structured, timesUntilNow } from './events.ts'
import type { TestHerald } from './herald.ts'
import type { ChangeEntry, Page } from './spec-shapes.ts'
import type { Stored } from './stored.ts'
import type { User } from './user.ts'

type Item = { id: string; message: Message & { partition: number } }
type Published = Place & { id: string }

/** `count` events for one user, half of them mentions and half changes, in both modes; and what must be stored of them. */
export function loadFor({ id, subscriberId }: User, count: number) {
  const said = timesUntilNow(count / 2).map((time) => ({ subscriberid: subscriberId, time }))
  const mentions = said.map((each) => mention([id], each)).map(toItem)
  const changes = said.map((each) => change(each)).map(toItem)
  const idsOf = (items: Item[]) => items.map((item) => item.id).sort()
  const stored: Stored = { notifications: idsOf(mentions), changeEntries: idsOf(changes) }
  return { mentions, changes, stored }
}

const toItem = (event: Event, index: number): Item => ({
  id: derivedId(event),
  message: { ...(index % 2 ? binary(event) : structured(event)), partition: index % 3 },
})

/** Publishes both kinds at the same time, in portions, and returns where each event lies. */
export async function publishLoad(herald: TestHerald, load: ReturnType<typeof loadFor>): Promise<Published[]> {
  const { mention: mentionTopic, change: changeTopic } = herald.topics
  const places = [publishItems(herald, mentionTopic, load.mentions), publishItems(herald, changeTopic, load.changes)]
  return (await Promise.all(places)).flat()
}

async function publishItems(herald: TestHerald, topic: string, items: Item[]): Promise<Published[]> {
  const published: Published[] = []
  for (let from = 0; from < items.length; from += 500) {
    const portion = items.slice(from, from + 500)
    const batches = await herald.publish(
      topic,
      portion.map(({ message }) => message),
    )
    for (const { partition, baseOffset = '' } of batches) {
      const inBatch = portion.filter(({ message }) => message.partition === partition)
      published.push(
        ...inBatch.map(({ id }, index) => ({ id, topic, partition, offset: BigInt(baseOffset) + BigInt(index) })),
      )
    }
  }
  return published
}

/** The ids of all that a user sees over HTTP, each as often as it is listed, sorted. */
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
