import { createHeraldClient, type Notification } from '@herald/client'
import { createEvents, createPublisher, type HeraldEvent, notificationIdOf } from '@herald/publisher'
import { verifyPublisher } from '@herald/publisher/testing'
import { Kafka, logLevel, Partitioners } from 'kafkajs'

const { BASE = '', TOKEN = '', BROKERS = '', TOPICS = '{}', SUBSCRIBER = '', READER = '' } = process.env
const topics: { mention: string; change: string; receipt: string } = JSON.parse(TOPICS)

const events = createEvents({ source: '/outside' })
const mention: HeraldEvent<'herald.mention.created.v1'> = events.mentionCreated(
  { id: `m-${process.pid}`, time: new Date(), subscriberId: SUBSCRIBER },
  {
    actor: { id: READER, name: 'Ada', image: '' },
    actorType: 'user',
    subjectId: READER,
    subjectType: 'user',
    locationId: READER,
    locationType: 'comment',
    metadata: { mention: { mentionerName: 'Ada', snippet: 'From outside', entityType: 'portfolio' } },
    recipientIds: [READER],
  },
)
const publish = (producer: Parameters<typeof createPublisher>[0]['producer']) =>
  createPublisher({ producer, topics }).publish(mention)
await verifyPublisher({ publish, topics })

const kafka = new Kafka({ brokers: BROKERS.split(','), logLevel: logLevel.NOTHING })
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
await producer.connect()
await publish(producer)
await producer.disconnect()

const herald = createHeraldClient({ baseUrl: BASE, token: async () => TOKEN })
const signal = AbortSignal.timeout(30_000)
let found: Notification | undefined
while (!found) {
  for await (const one of herald.notifications.iterate({ status: 'unread' }, { signal })) {
    if (one.id === notificationIdOf(mention)) found = one
  }
}
const { readAt } = await herald.notifications.markRead(found.id)
console.log(JSON.stringify({ node: process.version, snippet: found.metadata.mention.snippet, isRead: readAt !== null }))

// @ts-expect-error id and time are required, because they are never generated
export const incomplete = () => events.emailSent({ subscriberId: SUBSCRIBER }, { notificationId: '', recipientId: '' })
