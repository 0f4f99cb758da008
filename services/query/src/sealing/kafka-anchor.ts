import { createTopicProducer, type IncomingRecord, type KafkaPort } from '@herald/kafka'
import type { VerifierKey } from '@herald/sealed-log'
import { type Acceptance, type Anchor, LogConflict, type Sealing } from '@herald/store'
import { createPublishedLogs } from './published-logs.ts'
import { createVerifierKeys } from './signer.ts'
import { createTopicReader } from './topic-reader.ts'

export type KafkaAnchorDependencies = {
  readonly kafka: KafkaPort
  readonly topic: string
  readonly origin: string
  readonly sealing: Pick<Sealing, 'state' | 'acceptances'>
  readonly logger: { warn(fields: object, message: string): void }
}

const publishTimeoutMs = 5_000
const contentType = { 'content-type': 'text/plain' }

/** The checkpoints that are published in a topic. */
export function createKafkaAnchor({ kafka, topic, origin, sealing, logger }: KafkaAnchorDependencies) {
  const reader = createTopicReader(kafka, topic)
  const producer = createTopicProducer(kafka, topic)
  let logs = createPublishedLogs(origin)
  /** The offsets that were read so far. */
  let read = new Map<number, bigint>()
  let accepted = new Map<string, Acceptance>()

  /** An acceptance in another topic says nothing about this one. */
  const ofTopic = (acceptance: Acceptance | undefined) => (acceptance?.topic === topic ? acceptance : undefined)

  async function readKeys(): Promise<(subscriberId: string) => readonly VerifierKey[]> {
    const state = await sealing.state.read()
    return state === undefined ? () => [] : createVerifierKeys(state)
  }

  function warnOfOthers(others: number, last: IncomingRecord | undefined): void {
    if (last === undefined) return
    const { partition, offset } = last
    logger.warn(
      { topic, others, partition, offset },
      `${others} records in ${topic} are no checkpoints of logs of ${origin}, and are ignored. The last one is at offset ${offset} of partition ${partition}`,
    )
  }

  const anchor: Anchor = {
    async catchUp(hold) {
      accepted = await sealing.acceptances.all()
      const keysOf = await readKeys()
      for (;;) {
        let others = 0
        let last: IncomingRecord | undefined
        const each = (record: IncomingRecord) => {
          const isNote = logs.take(record, keysOf, (subscriberId) => ofTopic(accepted.get(subscriberId)))
          if (isNote) return
          others++
          last = record
        }
        const outcome = await reader.read(read, each, hold)
        warnOfOthers(others, last)
        // Records that were taken of a topic that was created again are taken again.
        if (outcome === 'stopped') return false
        if (outcome !== 'recreated') {
          read = outcome
          return true
        }
        logger.warn({ topic }, `${topic} was created anew: what was published before is not there to be compared`)
        logs = createPublishedLogs(origin)
        read = new Map()
      }
    },
    subscribers: () => logs.subscribers(),
    async newest(subscriberId, isStopped) {
      if (isStopped) await readAccepted(subscriberId)
      const { problem, newest } = logs.of(subscriberId)
      if (problem !== undefined) throw new LogConflict(problem)
      return newest
    },
    publishedSize(subscriberId) {
      return logs.of(subscriberId).newest?.size ?? ofTopic(accepted.get(subscriberId))?.size
    },
    async publish(checkpoints) {
      const records = checkpoints.map(({ subscriberId, note }) => ({
        record: { key: Buffer.from(subscriberId), value: Buffer.from(note), headers: contentType },
      }))
      await producer.publish(() => records, publishTimeoutMs)
      for (const { subscriberId, size, root } of checkpoints) logs.published(subscriberId, { size, root })
    },
  }

  /** Reads a later acceptance of an operator. Only records behind it count, which may be there already. */
  async function readAccepted(subscriberId: string): Promise<void> {
    const found = ofTopic(await sealing.acceptances.find(subscriberId))
    if (found === undefined || isSame(found, accepted.get(subscriberId))) return
    const keysOf = await readKeys()
    const since = createPublishedLogs(origin)
    const end = await reader.read(found.offsets, (record) => void since.take(record, keysOf, () => found))
    if (!(end instanceof Map)) return
    logs.replace(subscriberId, since.of(subscriberId))
    accepted.set(subscriberId, found)
  }

  return { anchor, close: () => producer.close() }
}

function isSame(one: Acceptance, other: Acceptance | undefined): boolean {
  if (other === undefined || one.size !== other.size || one.offsets.size !== other.offsets.size) return false
  return [...one.offsets].every(([partition, offset]) => other.offsets.get(partition) === offset)
}
