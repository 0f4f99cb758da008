import { type Anchor, LogConflict, type Sealing } from '@herald/change-log'
import { createTopicProducer, type IncomingRecord, type KafkaPort } from '@herald/kafka'
import type { VerifierKey } from '@herald/sealed-log'
import { createAcceptedLogs } from './accepted-logs.ts'
import { createPublishedLogs, type PublishedLogsOptions } from './published-logs.ts'
import { createVerifierKeys, type Signer } from './signer.ts'
import { createTopicReader } from './topic-reader.ts'

export type KafkaAnchorDependencies = {
  readonly kafka: KafkaPort
  readonly topic: string
  readonly signer: Pick<Signer, 'origin' | 'state' | 'keysOf' | 'signAcceptance'>
  readonly sealing: Pick<Sealing, 'state' | 'acceptances'>
  readonly logger: { warn(fields: object, message: string): void }
  /** Notes under the name of a log that no known key has signed. */
  readonly onForeign?: ((count: number) => void) | undefined
}

const publishTimeoutMs = 5_000
const contentType = { 'content-type': 'text/plain' }
const warnEveryMs = 60_000

/** The checkpoints that are published in a topic. */
export function createKafkaAnchor(dependencies: KafkaAnchorDependencies) {
  const { kafka, topic, signer, sealing, logger, onForeign = () => {} } = dependencies
  const { origin } = signer
  const reader = createTopicReader(kafka, topic)
  const producer = createTopicProducer(kafka, topic)
  const accepted = createAcceptedLogs({ origin, topic, keysOf: signer.keysOf })
  let keysOf: (subscriberId: string) => readonly VerifierKey[] = signer.keysOf
  /** Whether an acceptance was found of which MongoDB has no copy: records ahead of it were taken that do not count. */
  let isAcceptedAnew = false
  let isCatchingUp = false
  const options: PublishedLogsOptions = {
    origin,
    keysOf: (subscriberId) => keysOf(subscriberId),
    acceptedOf: accepted.of,
    onAcceptance(note) {
      if (isCatchingUp && accepted.take(note)) isAcceptedAnew = true
    },
  }
  let logs = createPublishedLogs(options)
  /** The offsets that were read so far. */
  let read = new Map<number, bigint>()
  const warn = createWarning({ topic, origin, logger })

  /** Reads keys of MongoDB, too: a note of an earlier key counts, and one that somebody adds there can only stop logs. */
  async function readKeys(): Promise<void> {
    const state = await sealing.state.read()
    const keys = [...signer.state.keys, ...(state?.keys ?? [])]
    keysOf = createVerifierKeys({ origin, keys })
  }

  /** Signs acceptances anew during a rotation, so that they hold when the key before is gone. */
  async function renewAcceptances(): Promise<void> {
    for (const acceptance of accepted.withoutSignatureOf((subscriberId) => signer.keysOf(subscriberId).slice(0, 1))) {
      const note = signer.signAcceptance(acceptance)
      await publishAcceptance(producer, acceptance.subscriberId, note)
      await sealing.acceptances.store(acceptance.subscriberId, note)
      accepted.take(note)
    }
  }

  async function catchUp(hold: Parameters<Anchor['catchUp']>[0]): Promise<boolean> {
    await readKeys()
    for await (const note of sealing.acceptances.all()) accepted.take(note)
    accepted.endAt(await reader.ends())
    for (;;) {
      isAcceptedAnew = false
      const counts = { other: 0, foreign: 0 }
      const each = (record: IncomingRecord) => {
        const kind = logs.take(record)
        if (kind !== 'other' && kind !== 'foreign') return
        counts[kind]++
        warn.note(kind, record)
      }
      const outcome = await reader.read(read, each, hold)
      // A second reading counts the records.
      if (!isAcceptedAnew) onForeign(counts.foreign)
      warn.write()
      // Records that were taken of a topic that was created again are taken again.
      if (outcome === 'stopped') return false
      if (outcome !== 'recreated' && !isAcceptedAnew) {
        read = outcome
        await renewAcceptances()
        return true
      }
      if (outcome === 'recreated') {
        logger.warn({ topic }, `${topic} was created anew: what was published before is not there to be compared`)
      }
      logs = createPublishedLogs(options)
      read = new Map()
    }
  }

  const anchor: Anchor = {
    async catchUp(hold) {
      isCatchingUp = true
      try {
        return await catchUp(hold)
      } finally {
        isCatchingUp = false
      }
    },
    subscribers: () => logs.subscribers(),
    async look(subscriberId, isStopped) {
      if (isStopped) await readAccepted(subscriberId)
      const { problem, ...log } = logs.of(subscriberId)
      if (problem !== undefined) throw new LogConflict(problem)
      return log
    },
    publishedSize: (subscriberId) => logs.of(subscriberId).newest?.size ?? accepted.of(subscriberId)?.size,
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
    const note = await sealing.acceptances.find(subscriberId)
    if (note === undefined || !accepted.take(note)) return
    accepted.endAt(await reader.ends())
    const found = accepted.of(subscriberId)
    if (found === undefined) return
    await readKeys()
    logs.forget(subscriberId)
    await reader.read(found.offsets, (record) => void logs.take(record, subscriberId))
  }

  return { anchor, close: () => producer.close() }
}

/** Publishes an acceptance like a checkpoint of its log. */
export async function publishAcceptance(
  producer: Pick<ReturnType<typeof createTopicProducer>, 'publish'>,
  subscriberId: string,
  note: string,
): Promise<void> {
  const record = { key: Buffer.from(subscriberId), value: Buffer.from(note), headers: contentType }
  await producer.publish(() => [{ record }], publishTimeoutMs)
}

type WarningOptions = Pick<KafkaAnchorDependencies, 'topic' | 'logger'> & { readonly origin: string }

/** One line a minute about records that are ignored, whatever is in the topic. */
function createWarning({ topic, origin, logger }: WarningOptions) {
  const counts = { other: 0, foreign: 0 }
  let last: IncomingRecord | undefined
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    note(kind: 'other' | 'foreign', record: IncomingRecord): void {
      counts[kind]++
      last = record
    },
    write(): void {
      if (last === undefined || performance.now() - warnedAt < warnEveryMs) return
      const { partition, offset } = last
      const { other: others, foreign } = counts
      logger.warn(
        { topic, others, foreign, partition, offset },
        `${others} records in ${topic} are no checkpoints of logs of ${origin}, and are ignored; ${foreign} notes under names of its logs have no signature of a known key. The last one is at offset ${offset} of partition ${partition}`,
      )
      Object.assign(counts, { other: 0, foreign: 0 })
      last = undefined
      warnedAt = performance.now()
    },
  }
}
