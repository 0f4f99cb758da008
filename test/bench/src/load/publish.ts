import { Kafka, logLevel } from 'kafkajs'
import { now } from '../clock.ts'
import { mentionNow } from '../ingest/events.ts'
import type { User } from '../query/population.ts'
import { recipientsOf } from './recipients.ts'
import type { Role } from './role.ts'
import { type Operation, onSchedule } from './schedule.ts'

export type PublishSetup = {
  readonly brokers: readonly string[]
  readonly topic: string
  readonly users: readonly User[]
  /** Per event. */
  readonly recipients: number
  /** Uses these partitions in turn, instead of the one of the subscriber. */
  readonly partitions?: readonly number[]
}

/** A process that was not scheduled for a while has more to send than the broker takes at once. */
const messagesPerRequest = 500

/** Publishes mentions. An operation ends with the acknowledgement of its event. */
export async function createPublisher({ brokers, topic, users, recipients, partitions }: PublishSetup): Promise<Role> {
  const producer = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).producer()
  await producer.connect()
  return async (schedule) => {
    const latencies = new Float64Array(schedule.count)
    const sent: Promise<unknown>[] = []
    const send = (operations: readonly Operation[]) => {
      const messages = operations.map(({ sequence }) => {
        const named = recipientsOf(users, recipients, sequence)
        const userIds = named.map(({ userId }) => userId)
        const event = mentionNow(sequence, named[0]?.subscriberId ?? '', userIds)
        const partition = partitions?.[sequence % partitions.length]
        return partition === undefined ? event : { ...event, partition }
      })
      const acknowledged = producer.send({ topic, acks: -1, messages }).then(() => {
        for (const { sequence, intendedAt } of operations) latencies[sequence - schedule.first] = now() - intendedAt
      })
      sent.push(acknowledged)
    }
    await onSchedule(schedule, (operations) => {
      for (let from = 0; from < operations.length; from += messagesPerRequest) {
        send(operations.slice(from, from + messagesPerRequest))
      }
    })
    await Promise.all(sent)
    return latencies
  }
}
