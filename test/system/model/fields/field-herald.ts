import { randomBytes } from 'node:crypto'
import { createHeraldClient, type HeraldClient } from '@herald/client'
import { attachHerald } from '@herald/local-herald'
import { type EventMessage, type HeraldEvent, toRecord } from '@herald/publisher'
import { eventually } from '@herald/test-servers'
import { Kafka, logLevel, Partitioners } from 'kafkajs'

/** An event that Herald sent. */
type Announced = { readonly type: string; readonly data: Readonly<Record<string, unknown>> }
export type FieldHerald = Awaited<ReturnType<typeof connectFieldHerald>>
type Claims = Readonly<Record<'sub' | 'subscriber_id', string> & Record<string, string>>

/** Connects to the Herald of the run, and reads what it announces. */
export async function connectFieldHerald() {
  const { baseUrl, tokens, topics, notificationTopic: notification = '' } = await attachHerald()
  const name = `fields-${randomBytes(4).toString('hex')}`
  const { KAFKA_BROKERS = '' } = process.env
  const kafka = new Kafka({ clientId: name, brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  const consumer = kafka.consumer({ groupId: `${name}-announced`, maxWaitTimeInMs: 100 })
  const announced: Announced[] = []
  await Promise.all([producer.connect(), consumer.connect()])
  await consumer.subscribe({ topic: notification, fromBeginning: true })
  await consumer.run({ eachMessage: async ({ message }) => void announced.push(JSON.parse(String(message.value))) })

  return {
    async publish(event: HeraldEvent, mode?: 'structured' | 'binary'): Promise<void> {
      const { topic, key, value, headers } = toRecord(event, { topics, mode })
      const message: EventMessage = { key, value, headers }
      await producer.send({ topic, messages: [{ ...message, headers: { ...headers } }] })
    },
    /** Waits for an announcement of a notification of this type. */
    async announced(type: string, notificationId: string): Promise<Record<string, unknown>> {
      const found = () => announced.find((event) => event.type === type && idIn(event) === notificationId)
      await eventually(() => found() !== undefined, { within: 100_000, description: `${type} of ${notificationId}` })
      return found()?.data as Record<string, unknown>
    },
    async newClient(claims: Claims): Promise<HeraldClient> {
      const scope = 'notifications:create change-entries:read'
      return createHeraldClient({ baseUrl, token: await tokens.sign({ scope, ...claims }) })
    },
    async disconnect() {
      await Promise.all([producer.disconnect(), consumer.disconnect()])
    },
  }
}

function idIn({ data }: Announced): unknown {
  const { notification, latest } = data as { notification?: { id: string }; latest?: { id: string } }
  return (notification ?? latest)?.id
}
