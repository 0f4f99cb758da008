import type { KafkaPort } from '../consume/kafka-port.ts'
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

/**
 * Adds whether a stored notification was announced, unless that is known to be due. MongoDB forgets an announcement once
 * it is made, so the topic is searched from the time of the event on.
 */
export async function addAnnouncement(
  found: Answer,
  { id, time }: Question,
  kafka: Pick<KafkaPort, 'readToEnd'>,
  topic: string,
): Promise<Answer> {
  if (found.answer !== 'stored' || found.details.announcement !== undefined) return found
  let announcement = 'not on its topic'
  await kafka.readToEnd(
    topic,
    async ({ value, timestamp }) => {
      if (!idIn(value)?.startsWith(`${id}/`)) return 'continue'
      announcement = `announced at ${new Date(Number(timestamp)).toISOString()}`
      return 'stop'
    },
    { since: time },
  )
  return { ...found, details: { ...found.details, announcement } }
}

/** The `id` of an announcement: `<notification id>/<part>`, among others. */
function idIn(value: Buffer | null): string | undefined {
  try {
    const event: unknown = JSON.parse(value?.toString() ?? '')
    const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}
