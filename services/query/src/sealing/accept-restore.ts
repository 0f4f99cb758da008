import { LogConflict, type Sealing } from '@herald/change-log'
import { createKafka, createTopicProducer, toKafkaOptions } from '@herald/kafka'
import type { Logger } from '@herald/runtime'
import { createStore } from '@herald/store'
import { createAcceptedLogs } from './accepted-logs.ts'
import type { SealSettings } from './config.ts'
import { publishAcceptance } from './kafka-anchor.ts'
import { createPublishedLogs, type PublishedLogs } from './published-logs.ts'
import { createSigner, createVerifierKeys, type Signer } from './signer.ts'
import { createTopicReader, type TopicReader } from './topic-reader.ts'

/** Its exit codes, as they are in the help. */
export const acceptCodes = { accepted: 0, failed: 1, usage: 2, nothing: 3, contradiction: 4 } as const

type AcceptCode = (typeof acceptCodes)[keyof typeof acceptCodes]

type Accepting = {
  /** `all` that are stopped. */
  readonly subscriberIds: readonly string[] | 'all'
  readonly settings: SealSettings
  readonly logger: Logger
  readonly print: (line: string) => void
}

/** The prefix of groups with which sealers read the topic: ACLs name it. */
export const sealGroupPrefix = 'herald-seal-'

/** @returns the exit code */
export async function acceptRestore({ subscriberIds, settings, logger, print }: Accepting): Promise<AcceptCode> {
  const { KAFKA_CHECKPOINT_TOPIC: topic, KAFKA_BROKERS: brokers } = settings
  const signer = createSigner(settings)
  if (topic === undefined || brokers === undefined || signer === undefined) {
    print('Needs the settings of the sealer: LOG_SIGNING_KEY, LOG_ORIGIN, KAFKA_CHECKPOINT_TOPIC and KAFKA_BROKERS')
    return acceptCodes.failed
  }
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = settings
  const store = createStore({ uri, database, applicationName: 'herald-seal' })
  const options = toKafkaOptions({ ...settings, KAFKA_BROKERS: brokers }, 'herald-seal')
  const kafka = createKafka({ ...options, temporaryGroupPrefix: sealGroupPrefix }, logger)
  const producer = createTopicProducer(kafka, topic)
  try {
    const { sealing } = store
    const topicNow = await readTopic({ sealing, reader: createTopicReader(kafka, topic), topic, signer })
    const decide = createDecide({ sealing, signer, topic, print, ...topicNow }, (subscriberId, note) =>
      publishAcceptance(producer, subscriberId, note),
    )
    const asked = subscriberIds === 'all' ? await findStopped(sealing, topicNow.logs) : subscriberIds
    const codes: AcceptCode[] = []
    for (const subscriberId of asked) codes.push(await decide(subscriberId))
    if (asked.length > 1 || subscriberIds === 'all')
      print(`${codes.filter((code) => code === 0).length} of ${asked.length} logs were accepted.`)
    return summaryOf(codes)
  } catch (error) {
    print(`Not everything was accepted: ${error instanceof Error ? error.message : error}`)
    return acceptCodes.failed
  } finally {
    await producer.close().catch(() => {})
    await store.close()
  }
}

/** A log of which there is nothing to accept goes on, and is no failure beside others. */
function summaryOf(codes: readonly AcceptCode[]): AcceptCode {
  if (codes.includes(acceptCodes.contradiction)) return acceptCodes.contradiction
  const isNothing = codes.length > 0 && codes.every((code) => code === acceptCodes.nothing)
  return isNothing ? acceptCodes.nothing : acceptCodes.accepted
}

type Topic = {
  readonly logs: PublishedLogs
  readonly ends: ReadonlyMap<number, bigint>
}

type Reading = {
  readonly sealing: Sealing
  readonly reader: TopicReader
  readonly topic: string
  readonly signer: Signer
}

/** Reads the whole topic once, whatever the number of logs. */
async function readTopic({ sealing, reader, topic, signer }: Reading): Promise<Topic> {
  const { origin } = signer
  const state = await sealing.state.read()
  const keysOf = createVerifierKeys({ origin, keys: [...signer.state.keys, ...(state?.keys ?? [])] })
  const accepted = createAcceptedLogs({ origin, topic, keysOf: signer.keysOf })
  for await (const note of sealing.acceptances.all()) accepted.take(note)
  accepted.endAt(await reader.ends())
  for (;;) {
    let isAcceptedAnew = false
    const logs = createPublishedLogs({
      origin,
      keysOf,
      acceptedOf: accepted.of,
      onAcceptance(note) {
        if (accepted.take(note)) isAcceptedAnew = true
      },
    })
    const ends = await reader.read(new Map(), (record) => void logs.take(record))
    if (!(ends instanceof Map)) throw new Error(`${topic} was created anew meanwhile`)
    if (!isAcceptedAnew) return { logs, ends }
  }
}

/** The logs that MongoDB calls stopped, and those of which the topic has something else. */
async function findStopped(sealing: Sealing, logs: PublishedLogs): Promise<string[]> {
  const stopped = new Set(await sealing.conflicts.list())
  for (const subscriberId of logs.subscribers()) {
    if (!stopped.has(subscriberId) && (await whyDifferent(sealing, subscriberId, logs))) stopped.add(subscriberId)
  }
  for (const subscriberId of logs.foreignSubscribers()) {
    if (!stopped.has(subscriberId) && (await sealing.hasLeaves(subscriberId))) stopped.add(subscriberId)
  }
  return [...stopped]
}

type Deciding = Topic & Pick<Accepting, 'print'> & Pick<Reading, 'sealing' | 'signer' | 'topic'>

function createDecide(
  { sealing, signer, topic, print, logs, ends }: Deciding,
  publish: (subscriberId: string, note: string) => Promise<void>,
) {
  return async (subscriberId: string): Promise<AcceptCode> => {
    let own: Awaited<ReturnType<Sealing['checkOwn']>>
    try {
      own = await sealing.checkOwn(subscriberId)
    } catch (error) {
      if (!(error instanceof LogConflict)) throw error
      print(
        `Not accepted: the log of ${subscriberId} contradicts its own checkpoints in MongoDB: ${error.message}. ` +
          'A restore of the whole database does not explain that. Collections were restored apart from each other, or changed.',
      )
      return acceptCodes.contradiction
    }
    const { size, root } = own
    const reason = await whyDifferent(sealing, subscriberId, logs)
    if (reason === undefined) {
      print(
        `There is nothing to accept: what ${topic} has of the log of ${subscriberId} agrees with it (size ${size}).`,
      )
      return acceptCodes.nothing
    }
    const note = signer.signAcceptance({ subscriberId, size, root, topic, offsets: ends })
    await publish(subscriberId, note)
    await sealing.acceptances.store(subscriberId, note)
    print(
      `Accepted for the log of ${subscriberId}: ${reason}. What ${topic} has of it up to ${offsetsOf(ends)} is not compared any more. ` +
        `The log goes on from size ${size}, within an interval of its sealer. ` +
        'Checkpoints that were published above that size may disagree with those that follow: whoever keeps them will see that the log was restored.',
    )
    return acceptCodes.accepted
  }
}

const offsetsOf = (ends: ReadonlyMap<number, bigint>) =>
  Array.from(ends, ([partition, offset]) => `offset ${offset} of partition ${partition}`).join(', ')

async function whyDifferent(sealing: Sealing, subscriberId: string, logs: PublishedLogs): Promise<string | undefined> {
  const { newest, problem, foreign } = logs.of(subscriberId)
  if (problem !== undefined) return problem
  if (foreign !== undefined && (await sealing.hasLeaves(subscriberId))) return foreign
  if (newest === undefined) return undefined
  try {
    await sealing.compare(subscriberId, newest)
    return undefined
  } catch (error) {
    if (error instanceof LogConflict) return error.message
    throw error
  }
}
