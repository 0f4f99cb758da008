import { randomUUID } from 'node:crypto'
import { attachHerald } from '@herald/local-herald'
import { createClient } from './client.ts'
import { createEventPublisher, type EventPublisher } from './event-publisher.ts'
import { createWorld, type World } from './operations.ts'

export type ModelHerald = {
  readonly publisher: EventPublisher
  /** Two users of one subscriber, and a user of another subscriber with the id of the first. */
  newWorld(): Promise<World>
  disconnect(): Promise<void>
}

/** Connects to the Herald of the run. */
export async function connectModelHerald(): Promise<ModelHerald> {
  const { baseUrl, tokens, topics, groupId } = await attachHerald()
  const { KAFKA_BROKERS = '' } = process.env
  const publisher = await createEventPublisher(KAFKA_BROKERS.split(','), topics, groupId)
  return {
    publisher,
    async newWorld() {
      const [first, second, subscriber, otherSubscriber] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
      const recipients = [
        { subscriberId: subscriber, userId: first },
        { subscriberId: subscriber, userId: second },
        { subscriberId: otherSubscriber, userId: first },
      ]
      const clients = recipients.map(async (recipient) => {
        const claims = { sub: recipient.userId, subscriber_id: recipient.subscriberId, name: 'Ada', picture: '' }
        return createClient(baseUrl, await tokens.sign(claims), recipient)
      })
      return createWorld(await Promise.all(clients))
    },
    disconnect: () => publisher.stop(),
  }
}
