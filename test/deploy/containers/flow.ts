import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { connectTokenIssuer } from '@herald/token-issuer'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import type { Composition } from './composition.ts'

/** Continuously creates notifications of one user, over Kafka and HTTP, and records which were acknowledged. */
export async function startFlow({ baseUrl, brokers, tokenIssuer }: Composition) {
  const user = { sub: randomUUID(), subscriber_id: randomUUID() }
  const token = await (await connectTokenIssuer(tokenIssuer)).sign(user)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 2 }, requestTimeout: 5_000 })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, allowAutoTopicCreation: false })
  await producer.connect()
  const acknowledged: string[] = []
  let isRunning = true

  /** Retries the same attempt until it is acknowledged, as a reliable publisher does. */
  const untilAcknowledged = async (snippet: string, attempt: () => Promise<unknown>) => {
    for (;;) {
      const isDone = await attempt().then(
        (answer) => answer !== false,
        () => false,
      )
      if (isDone) return void acknowledged.push(snippet)
      await pause(100)
    }
  }

  const publish = (snippet: string) => {
    const event = {
      specversion: '1.0',
      type: 'herald.mention.created.v1',
      id: snippet,
      source: '/flow',
      time: new Date().toISOString(),
      subscriberid: user.subscriber_id,
      data: { actor: { id: randomUUID(), name: 'Ada', image: '' }, ...content(snippet) },
    }
    const message = {
      key: user.subscriber_id,
      value: JSON.stringify(event),
      headers: { 'content-type': 'application/cloudevents+json' },
    }
    return untilAcknowledged(snippet, async () => {
      await producer.connect()
      await producer.send({ topic: 'mention-events', messages: [message], acks: -1 })
    })
  }
  const create = (snippet: string) => {
    const body = JSON.stringify({ type: 'mention', ...content(snippet) })
    return untilAcknowledged(snippet, async () => {
      const request = { method: 'POST', headers: { ...headers, 'idempotency-key': snippet }, body }
      return (await fetch(`${baseUrl}/`, { ...request, signal: AbortSignal.timeout(20_000) })).status === 201
    })
  }
  const content = (snippet: string) => ({
    actorType: 'user',
    subjectId: user.sub,
    subjectType: 'user',
    locationId: user.sub,
    locationType: 'comment',
    metadata: { mention: { mentionerName: 'Ada', snippet, entityType: 'portfolio' } },
    recipientIds: [user.sub],
  })

  async function repeat(name: string, make: (snippet: string) => Promise<void>) {
    for (let count = 0; isRunning; count++) {
      await make(`${name}-${count}`)
      await pause(10)
    }
  }
  const flowing = Promise.all([repeat('event', publish), repeat('request', create)])

  return {
    count: () => acknowledged.length,
    /** Ends the flow and returns the acknowledged snippets. */
    async stop() {
      isRunning = false
      await flowing
      await producer.disconnect()
      return [...acknowledged].sort()
    },
    /** Returns the snippets of all listed notifications, including duplicates. */
    async listed() {
      const snippets: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const answer = await fetch(`${baseUrl}/?limit=100${cursor && `&cursor=${cursor}`}`, { headers })
        if (answer.status !== 200) throw new Error(`GET / responded with ${answer.status}: ${await answer.text()}`)
        const { data } = (await answer.json()) as { data: Page }
        snippets.push(...data.notifications.map(({ metadata }) => metadata.mention.snippet))
        cursor = data.nextCursor
      }
      return snippets.sort()
    },
  }
}

type Page = { notifications: { metadata: { mention: { snippet: string } } }[]; nextCursor: string | null }
