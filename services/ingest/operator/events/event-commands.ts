import { randomUUID } from 'node:crypto'
import { type EventType, events, limits, locationTypes, uuidSchema } from '@herald/contracts'
import { z } from 'zod'
import { type KafkaSettings, kafkaSettingsSchema } from '#ingest/settings/config'
import { type CommandContext, CommandFailure, defineCommand, exitCodes, from } from '../command-line/command.ts'
import { choice, flag, textValue, timeValue } from '../command-line/option.ts'

const source = '/herald/command'

const eventOptions = {
  subscriber: uuidSchema.meta({ value: 'UUID', description: 'Subscriber of what it concerns' }),
  time: timeValue.optional().meta({
    value: 'TIME',
    description: 'Of a person or a location, concerns what is not newer; now by default',
  }),
  id: textValue.optional().meta({
    value: 'TEXT',
    description: 'CloudEvents id, to repeat an event with its time; a new one by default',
  }),
  'dry-run': flag('Print the event instead of publishing it'),
}

const recipientsValue = z
  .array(uuidSchema)
  .max(limits.eventRecipients)
  .transform((ids) => [...new Set(ids)])

export const retractCommand = defineCommand({
  name: 'retract',
  summary: 'Retracts a notification, or those of a location, by publishing an event',
  settings: kafkaSettingsSchema,
  options: z
    .object({
      ...eventOptions,
      notification: uuidSchema.optional().meta({ value: 'UUID', description: 'Retract this notification' }),
      'location-type': choice(locationTypes)
        .optional()
        .meta({
          value: 'TYPE',
          description: `Retract the notifications of a location, with --location (${locationTypes.join(', ')})`,
        }),
      location: uuidSchema.optional().meta({ value: 'UUID', description: 'Id of the location' }),
      recipient: recipientsValue.optional().meta({
        value: 'UUID',
        description: 'Only from this recipient',
        isRepeatable: true,
      }),
    })
    .superRefine(({ notification, location, 'location-type': type }, context) => {
      const isOne = notification !== undefined && location === undefined && type === undefined
      const isLocation = notification === undefined && location !== undefined && type !== undefined
      if (isOne || isLocation) return
      const message = 'Either --notification, or --location-type and --location is required'
      context.addIssue({ code: 'custom', message })
    }),
  notes: [
    'The event goes to the mention topic, so that it holds after a replay of the topic as well. herald where shows whether it was processed.',
  ],
  async run(options, context) {
    const { notification: notificationId, location: locationId, 'location-type': locationType, recipient } = options
    const target = notificationId === undefined ? { locationType, locationId } : { notificationId }
    const data = { ...target, recipientIds: recipient }
    const topic = context.settings.KAFKA_MENTION_TOPIC
    return publish({ type: events.mentionRetracted.type, data, topic }, options, context)
  },
})

export const eraseCommand = defineCommand({
  name: 'erase',
  summary: 'Erases a person of a subscriber, by publishing the event; cannot be undone',
  settings: kafkaSettingsSchema,
  options: z.object({
    ...eventOptions,
    person: uuidSchema.meta({ value: 'UUID', description: 'The person' }),
  }),
  async run(options, context) {
    const topic = context.settings.KAFKA_PRIVACY_TOPIC
    if (topic === undefined) throw new CommandFailure('KAFKA_PRIVACY_TOPIC: Required', exitCodes.usage)
    const data = { personId: options.person }
    return publish({ type: events.personErased.type, data, topic }, options, context)
  },
})

/** Prints an event and, unless it is a dry run, publishes it. @returns the exit code */
async function publish(
  { type, data, topic }: { readonly type: EventType; readonly data: object; readonly topic: string },
  options: z.output<z.ZodObject<typeof eventOptions>>,
  { settings, openKafka, release, print, note, clock }: CommandContext & { readonly settings: KafkaSettings },
): Promise<number> {
  const { subscriber, id = randomUUID() } = options
  const time = new Date(options.time ?? clock()).toISOString()
  const value = JSON.stringify({ specversion: '1.0', id, source, type, time, subscriberid: subscriber, data })
  print(value)
  if (options['dry-run']) return exitCodes.done
  const producer = await from('Kafka', openKafka(settings).connectProducer())
  release(() => producer.close())
  const headers = { 'content-type': 'application/cloudevents+json' }
  const record = { key: Buffer.from(subscriber), value: Buffer.from(value), headers }
  await from('Kafka', producer.send([record], { topic }))
  note(`Published to ${topic}. To follow it:`)
  note(`herald where --subscriber ${subscriber} --source ${source} --id ${id} --time ${time}`)
  return exitCodes.done
}
