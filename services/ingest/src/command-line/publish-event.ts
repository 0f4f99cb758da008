import { randomUUID } from 'node:crypto'
import type { EventType } from '@herald/contracts'
import type { KafkaSettings } from '../config.ts'
import { type CommandContext, exitCodes } from './command.ts'
import { from } from './read-settings.ts'

/** The `source` of events that operators publish. */
const source = '/herald/command'

export type CommandEvent = {
  readonly type: EventType
  readonly subscriberId: string
  /** To repeat an event together with its time; a new id by default. */
  readonly id?: string | undefined
  readonly time: Date
  readonly data: object
}

type Destination = { readonly settings: KafkaSettings; readonly topic: string; readonly isDryRun: boolean }

/** Prints an event and, unless it is a dry run, publishes it. @returns the exit code */
export async function publishEvent(
  { type, subscriberId, id = randomUUID(), time: at, data }: CommandEvent,
  { settings, topic, isDryRun }: Destination,
  { openKafka, release, print, note }: CommandContext,
): Promise<number> {
  const time = at.toISOString()
  const value = JSON.stringify({ specversion: '1.0', id, source, type, time, subscriberid: subscriberId, data })
  print(value)
  if (isDryRun) return exitCodes.done
  const producer = await from('Kafka', openKafka(settings).connectProducer())
  release(() => producer.close())
  const headers = { 'content-type': 'application/cloudevents+json' }
  const record = { key: Buffer.from(subscriberId), value: Buffer.from(value), headers }
  await from('Kafka', producer.send([record], { topic }))
  note(`Published to ${topic}. To follow it:`)
  note(`herald where --subscriber ${subscriberId} --source ${source} --id ${id} --time ${time}`)
  return exitCodes.done
}
