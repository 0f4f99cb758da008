import { eventTypes } from '@herald/contracts'
import { z } from 'zod'
import { deadLetterSettingsSchema } from '../config.ts'
import { CommandFailure, defineCommand, exitCodes } from './command.ts'
import { flag, option, textValue, timeValue, uuidValue } from './option.ts'
import { publishEvent } from './publish-event.ts'
import { readSettings } from './read-settings.ts'

export const eraseCommand = defineCommand({
  name: 'erase',
  summary: 'Erases a person of a subscriber, by publishing the event; cannot be undone',
  options: z.object({
    subscriber: option(uuidValue, { value: 'UUID', description: 'Subscriber of the person' }),
    person: option(uuidValue, { value: 'UUID', description: 'The person' }),
    time: option(timeValue.optional(), { value: 'TIME', description: 'Erase what is not newer; now by default' }),
    id: option(textValue.optional(), {
      value: 'TEXT',
      description: 'CloudEvents id, to repeat an erasure with its time; a new one by default',
    }),
    'dry-run': flag('Print the event instead of publishing it'),
  }),
  async run({ subscriber, person, time, id, 'dry-run': isDryRun }, context) {
    const settings = readSettings(deadLetterSettingsSchema, context)
    const topic = settings.KAFKA_PRIVACY_TOPIC
    if (topic === undefined) throw new CommandFailure('KAFKA_PRIVACY_TOPIC: Required', exitCodes.usage)
    const event = { type: eventTypes.personErased, subscriberId: subscriber, id, data: { personId: person } }
    return publishEvent({ ...event, time: new Date(time ?? context.clock()) }, { settings, topic, isDryRun }, context)
  },
})
