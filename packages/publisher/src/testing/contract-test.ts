import { defaultTopics } from '@herald/contracts'
import type { HeraldEvent } from '../event.ts'
import { notificationIdOf } from '../event-ids.ts'
import type { Topics } from '../message.ts'
import { expectValidEvent } from './expect-valid-event.ts'
import { createRecordingProducer, type RecordingProducer } from './recording-producer.ts'

export type ContractOptions = {
  /** Publishes what happened, by the producer that it is given. It is called twice, as after a crash, about the same thing. */
  readonly publish: (producer: RecordingProducer) => unknown
  readonly topics?: Topics
}

/**
 * What Herald asks of a publisher, in one test without a broker: there is something; every record is taken, on its topic,
 * with the subscriber as its key; no two events are the same; and who publishes again after a failure publishes the same
 * events, with the same `source`, `id` and `time`.
 *
 * @returns the events of the first time
 * @throws an error that names every finding
 */
export async function verifyPublisher({ publish, topics = defaultTopics }: ContractOptions): Promise<HeraldEvent[]> {
  const findings: string[] = []
  const runs: HeraldEvent[][] = []
  for (const time of ['first', 'second']) {
    const producer = createRecordingProducer()
    await publish(producer)
    if (producer.records.length === 0) findings.push(`The ${time} time nothing was published`)
    runs.push(read(producer, { time, topics, findings }))
  }
  const [first = [], second = []] = runs
  findings.push(...sameTwice(first), ...changed(first, second))
  if (findings.length > 0) throw new Error(`This publisher is not fit for Herald:\n- ${findings.join('\n- ')}`)
  return first
}

type Circumstances = { readonly time: string; readonly topics: Topics; readonly findings: string[] }

function read({ records }: RecordingProducer, { time, topics, findings }: Circumstances): HeraldEvent[] {
  return records.flatMap((record, index) => {
    try {
      return [expectValidEvent(record, { topics })]
    } catch (error) {
      findings.push(`The ${time} time, record ${index + 1}: ${(error as Error).message}`)
      return []
    }
  })
}

const nameOf = ({ type, source, id, time }: HeraldEvent) => `${type} ${id} of ${source} at ${time}`

function sameTwice(events: readonly HeraldEvent[]): string[] {
  const ids = new Map<string, HeraldEvent>()
  return events.flatMap((event) => {
    const key = `${event.type} ${notificationIdOf(event)}`
    if (ids.has(key)) return [`${nameOf(event)} is published twice: it counts once`]
    ids.set(key, event)
    return []
  })
}

function changed(first: readonly HeraldEvent[], second: readonly HeraldEvent[]): string[] {
  const before = new Set(first.map((event) => `${event.type} ${notificationIdOf(event)}`))
  return second
    .filter((event) => !before.has(`${event.type} ${notificationIdOf(event)}`))
    .map((event) => `Published again it is another event, and counts twice: ${nameOf(event)}`)
}
