import { eventTypes, locationTypes } from '@herald/contracts'
import { z } from 'zod'
import { deadLetterSettingsSchema } from '../config.ts'
import { defineCommand } from './command.ts'
import { choice, flag, option, recipientsValue, textValue, timeValue, uuidValue } from './option.ts'
import { publishEvent } from './publish-event.ts'
import { readSettings } from './read-settings.ts'

const options = z
  .object({
    subscriber: option(uuidValue, { value: 'UUID', description: 'Subscriber of the notifications' }),
    notification: option(uuidValue.optional(), { value: 'UUID', description: 'Take back this notification' }),
    'location-type': option(choice(locationTypes).optional(), {
      value: 'TYPE',
      description: 'Take back the notifications of a location, with --location',
      choices: locationTypes,
    }),
    location: option(uuidValue.optional(), { value: 'UUID', description: 'Id of the location' }),
    recipient: option(recipientsValue.optional(), {
      value: 'UUID',
      description: 'Only from this recipient',
      isRepeatable: true,
    }),
    time: option(timeValue.optional(), {
      value: 'TIME',
      description: 'Of a location, take back what is not newer; now by default',
    }),
    id: option(textValue.optional(), {
      value: 'TEXT',
      description: 'CloudEvents id, to repeat a retraction with its time; a new one by default',
    }),
    'dry-run': flag('Print the event instead of publishing it'),
  })
  .superRefine(({ notification, location, 'location-type': type }, context) => {
    const isOne = notification !== undefined && location === undefined && type === undefined
    const isLocation = notification === undefined && location !== undefined && type !== undefined
    if (isOne || isLocation) return
    context.addIssue({
      code: 'custom',
      message: 'Either --notification, or --location-type and --location is required',
    })
  })

export const retractCommand = defineCommand({
  name: 'retract',
  summary: 'Takes a notification back, or those of a location, by publishing a retraction',
  options,
  notes: [
    'The event goes to the mention topic, so that it holds after a replay of the topic as well. herald where shows whether it was carried out.',
  ],
  async run(given, context) {
    const settings = readSettings(deadLetterSettingsSchema, context)
    const { subscriber, notification: notificationId, location: locationId, 'location-type': locationType, id } = given
    const target = notificationId === undefined ? { locationType, locationId } : { notificationId }
    const event = {
      ...{ type: eventTypes.mentionRetracted, subscriberId: subscriber, id },
      time: new Date(given.time ?? context.clock()),
      data: { ...target, ...(given.recipient === undefined ? {} : { recipientIds: given.recipient }) },
    }
    const to = { settings, topic: settings.KAFKA_MENTION_TOPIC, isDryRun: given['dry-run'] }
    return publishEvent(event, to, context)
  },
})
