import { defaultTopics } from '@herald/contracts'
import type { HeraldEvent } from '../event.ts'
import { notificationIdOf } from '../event-ids.ts'
import type { Topics } from '../message.ts'
import { expectValidEvent } from './expect-valid-event.ts'
import { createRecordingProducer, type RecordingProducer } from './recording-producer.ts'

export type ContractOptions = {
  /** Publishes events with the given producer. Called twice for the same events, as after a crash. */
  readonly publish: (producer: RecordingProducer) => unknown
  readonly topics?: Topics
}

/**
 * Checks a publisher against Herald's requirements, without a broker: it publishes at least one record; every record is valid, on
 * its topic and keyed by the subscriber; no event is published twice in one run; and a second run publishes the same events, with the
 * same `source`, `id` and `time`.
 *
 * @returns the events of the first run
 * @throws an error that lists all findings
 */
export async function verifyPublisher({ publish, topics = defaultTopics }: ContractOptions): Promise<HeraldEvent[]> {
  const findings: string[] = []
  const runs: HeraldEvent[][] = []
  for (const run of ['first', 'second']) {
    const producer = createRecordingProducer()
    await publish(producer)
    if (producer.records.length === 0) findings.push(`In the ${run} run, nothing was published`)
    runs.push(read(producer, { run, topics, findings }))
  }
  const [first = [], second = []] = runs
  findings.push(...findDuplicates(first), ...findChanged(first, second))
  if (findings.length > 0)
    throw new Error(`This publisher does not meet Herald’s requirements:\n- ${findings.join('\n- ')}`)
  return first
}

type RunContext = { readonly run: string; readonly topics: Topics; readonly findings: string[] }

function read({ records }: RecordingProducer, { run, topics, findings }: RunContext): HeraldEvent[] {
  return records.flatMap((record, index) => {
    try {
      return [expectValidEvent(record, { topics })]
    } catch (error) {
      findings.push(`In the ${run} run, record ${index + 1}: ${(error as Error).message}`)
      return []
    }
  })
}

const nameOf = ({ type, source, id, time }: HeraldEvent) => `${type} ${id} of ${source} at ${time}`

function findDuplicates(events: readonly HeraldEvent[]): string[] {
  const ids = new Map<string, HeraldEvent>()
  return events.flatMap((event) => {
    const key = `${event.type} ${notificationIdOf(event)}`
    if (ids.has(key)) return [`${nameOf(event)} is published twice, but stored once`]
    ids.set(key, event)
    return []
  })
}

function findChanged(first: readonly HeraldEvent[], second: readonly HeraldEvent[]): string[] {
  const before = new Set(first.map((event) => `${event.type} ${notificationIdOf(event)}`))
  return second
    .filter((event) => !before.has(`${event.type} ${notificationIdOf(event)}`))
    .map((event) => `Published again, it is a different event and stored twice: ${nameOf(event)}`)
}
