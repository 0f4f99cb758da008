import { deriveEventId, timeOfUuidV7, uuidSchema } from '@herald/contracts'
import { integerSetting } from '@herald/runtime'
import { z } from 'zod'
import { flag, textValue, timeValue } from '../command-line/option.ts'

/** The options of `where`: an event, or a notification or change entry by the id derived from it. */
export const whereOptions = z
  .object({
    subscriber: uuidSchema.meta({ value: 'UUID', description: 'Subscriber of the event' }),
    source: textValue.optional().meta({ value: 'TEXT', description: 'CloudEvents source of the event' }),
    id: textValue.optional().meta({ value: 'TEXT', description: 'CloudEvents id of the event' }),
    time: timeValue.optional().meta({
      value: 'TIME',
      description: 'CloudEvents time of the event, with its fraction',
    }),
    notification: uuidSchema.optional().meta({
      value: 'UUID',
      description: 'Id of the notification or change entry, instead of source, id and time',
    }),
    recipient: uuidSchema.optional().meta({ value: 'UUID', description: 'Only the notification of this recipient' }),
    since: timeValue.optional().meta({
      value: 'TIME',
      description: 'Search dead letters from this time on; an hour before the event by default',
    }),
    scan: integerSetting({ max: 100_000_000 }).default(200_000).meta({
      value: 'NUMBER',
      description:
        'Records that are searched, of those that ingest has not read and of those that it has; 200000 by default',
    }),
    json: flag('Print one JSON object'),
  })
  .superRefine(({ source, id, time, notification }, context) => {
    const given = Object.entries({ source, id, time }).filter(([, value]) => value !== undefined)
    if (notification === undefined ? given.length === 3 : given.length === 0) return
    const message =
      notification === undefined
        ? 'Either --source, --id and --time, or --notification is required'
        : '--notification excludes --source, --id and --time'
    context.addIssue({ code: 'custom', path: [], message })
  })

export type Question = {
  readonly subscriberId: string
  readonly id: string
  readonly recipientId?: string | undefined
  /** The time of the event, or that in the id. */
  readonly time: Date
  readonly event?: { readonly source: string; readonly id: string } | undefined
}

export function toQuestion(options: z.output<typeof whereOptions>): Question {
  const { subscriber: subscriberId, source = '', id = '', time = 0, notification, recipient: recipientId } = options
  if (notification !== undefined) {
    return { subscriberId, recipientId, id: notification, time: new Date(timeOfUuidV7(notification) ?? 0) }
  }
  const derived = deriveEventId({ subscriberId, source, id, time })
  return { subscriberId, recipientId, id: derived, time: new Date(time), event: { source, id } }
}

const hourMs = 60 * 60 * 1_000

/** No record of the event is older than an hour: clocks differ. An event whose time is ahead may have been published before. */
export function publishedSince(time: Date, now: Date): Date {
  return new Date(time > now ? now.getTime() - 24 * hourMs : time.getTime() - hourMs)
}
