import { randomUUID } from 'node:crypto'
import { createHeraldClient, isHeraldProblem } from '@herald/client'
import { notificationIdOf } from '@herald/publisher'
import { connectTokenIssuer } from '@herald/token-issuer'
import type { Composition } from './composition.ts'
import { changeData, connectPublisher, events, mentionData } from './events.ts'

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/**
 * Uses every part of Herald in rounds, until it is stopped: events of all topics, valid and invalid, requests that succeed and
 * fail, streams that resume, exports, retractions, erasures, announcements.
 */
export async function startLoad(composition: Composition) {
  const { baseUrl, tokenIssuer } = composition
  const user = { sub: randomUUID(), subscriber_id: randomUUID() }
  const token = await (await connectTokenIssuer(tokenIssuer)).sign(user)
  const { notifications, changeEntries } = createHeraldClient({ baseUrl, token })
  const publisher = await connectPublisher(composition)
  const { publish, publishValue } = publisher
  const stopping = new AbortController()
  const { signal } = stopping
  const identity = (time = new Date(), subscriberId = user.subscriber_id) => ({ id: randomUUID(), time, subscriberId })
  // After an erasure, the streams of its subscriber do not resume.
  const otherSubscriber = randomUUID()
  let lastEventId: string | undefined
  let erased: { recipientId: string; notificationId: string } | undefined

  /** Opens the stream where the last one ended, publishes a mention, and reads it as soon as it arrives. */
  async function mention(): Promise<string> {
    // Old enough to be announced as unread at once.
    const event = events.mentionCreated(identity(minutesAgo(5)), mentionData([user.sub, randomUUID()]))
    const id = notificationIdOf(event)
    let isPublished = false
    for await (const received of notifications.stream({ lastEventId, signal })) {
      lastEventId = received.lastEventId
      if (received.type === 'heartbeat' && !isPublished) {
        isPublished = true
        await publish(event)
      }
      if (received.type === 'notification' && received.notification.id === id) await notifications.markRead(id)
      if (received.type === 'read-state' && received.ids.includes(id)) break
    }
    return id
  }

  /** Publishes events of a person and erases that person; a receipt of the last one arrives too late. */
  async function erase(): Promise<void> {
    const personId = randomUUID()
    const of = (time?: Date) => identity(time, otherSubscriber)
    const event = events.mentionCreated(of(), mentionData([personId]))
    await publish(
      event,
      events.changeRecorded(of(), changeData(personId)),
      events.personErased(of(), { personId }),
      ...(erased ? [events.notificationRead(of(), erased)] : []),
    )
    erased = { notificationId: notificationIdOf(event), recipientId: personId }
  }

  async function round(): Promise<void> {
    const notificationId = await mention()
    await publish(
      events.changeRecorded(identity(), changeData(user.sub)),
      events.emailSent(identity(), { notificationId, recipientId: user.sub }),
    )
    await erase()
    await publishValue('mention-events', 'not JSON')
    const { actor: _, ...content } = mentionData([user.sub])
    const metadata = { ...content.metadata, add: {}, edit: {} }
    const created = await notifications.create({ type: 'mention', ...content, metadata })
    await notifications.list()
    await notifications.unreadCount()
    await notifications.markManyRead({ all: true })
    await notifications.retract(created.id)
    await changeEntries.list()
    await (await changeEntries.export('csv')).text()
    await notifications.get(randomUUID()).catch((error) => {
      if (!isHeraldProblem(error)) throw error
    })
    await (await fetch(`${baseUrl}/`)).text()
  }

  const working = (async () => {
    while (!signal.aborted) await round()
  })()
  // Reported by `stop`.
  working.catch(() => {})
  return {
    /** Ends the load. @throws the error that ended it before */
    async stop() {
      stopping.abort()
      await working
        .catch((error) => {
          if (error !== signal.reason) throw error
        })
        .finally(() => publisher.disconnect())
    },
  }
}
