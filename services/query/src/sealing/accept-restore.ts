import { createKafka, toKafkaOptions } from '@herald/kafka'
import type { Logger } from '@herald/runtime'
import { createStore, LogConflict, type Sealing } from '@herald/store'
import type { SealSettings } from './config.ts'
import { createPublishedLogs, type PublishedLog } from './published-logs.ts'
import { createVerifierKeys } from './signer.ts'
import { createTopicReader, type TopicReader } from './topic-reader.ts'

/** Its exit codes, as they are in the help. */
export const acceptCodes = { accepted: 0, failed: 1, usage: 2, nothing: 3, contradiction: 4 } as const

export const acceptHelp = `Usage: node services/query/dist/seal.js --accept-restore <subscriberId>

Accepts that the change log of a subscriber was restored from a backup, so that it is sealed again: what KAFKA_CHECKPOINT_TOPIC
has of it up to now is not compared any more. From then on, two checkpoints of one size may disagree: the topic shows it.
It has the settings of seal.js, and works while sealers run, which go on with the log within an interval.

Exit codes: 0 accepted, 1 could not be decided, 2 wrong usage, 3 there is nothing to accept, 4 no restore explains the conflict
`

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Reads the arguments of `seal.js`. */
export function readArguments(
  words: readonly string[],
):
  | { readonly kind: 'serve' | 'help' }
  | { readonly kind: 'accept'; readonly subscriberId: string }
  | { readonly kind: 'usage' } {
  const [option, subscriberId = '', ...more] = words
  if (option === undefined) return { kind: 'serve' }
  if (option === '--help' && words.length === 1) return { kind: 'help' }
  const isAcceptance = option === '--accept-restore' && more.length === 0 && uuid.test(subscriberId.toLowerCase())
  return isAcceptance ? { kind: 'accept', subscriberId: subscriberId.toLowerCase() } : { kind: 'usage' }
}

type Accepting = {
  readonly subscriberId: string
  readonly settings: SealSettings
  readonly logger: Logger
  readonly print: (line: string) => void
}

/** @returns the exit code */
export async function acceptRestore({ subscriberId, settings, logger, print }: Accepting): Promise<number> {
  const { KAFKA_CHECKPOINT_TOPIC: topic, KAFKA_BROKERS: brokers, LOG_ORIGIN: origin } = settings
  if (topic === undefined || brokers === undefined || origin === undefined) {
    print('Needs the settings of the sealer: LOG_SIGNING_KEY, LOG_ORIGIN, KAFKA_CHECKPOINT_TOPIC and KAFKA_BROKERS')
    return acceptCodes.failed
  }
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = settings
  const store = createStore({ uri, database, applicationName: 'herald-seal' })
  const kafka = createKafka(
    {
      ...toKafkaOptions({ ...settings, KAFKA_BROKERS: brokers }, 'herald-seal'),
      temporaryGroupPrefix: sealGroupPrefix,
    },
    logger,
  )
  try {
    const reader = createTopicReader(kafka, topic)
    return await decide({ subscriberId, sealing: store.sealing, reader, topic, origin, print })
  } catch (error) {
    print(`Nothing was accepted: ${error instanceof Error ? error.message : error}`)
    return acceptCodes.failed
  } finally {
    await store.close()
  }
}

/** The prefix of groups with which sealers read the topic: ACLs name it. */
export const sealGroupPrefix = 'herald-seal-'

type Deciding = Pick<Accepting, 'subscriberId' | 'print'> & {
  readonly sealing: Sealing
  readonly reader: TopicReader
  readonly topic: string
  readonly origin: string
}

async function decide({ subscriberId, sealing, reader, topic, origin, print }: Deciding): Promise<number> {
  let size: number
  try {
    size = await sealing.checkOwn(subscriberId)
  } catch (error) {
    if (!(error instanceof LogConflict)) throw error
    print(`Not accepted: the log of ${subscriberId} contradicts its own checkpoints in MongoDB: ${error.message}.`)
    print(
      'A restore of the whole database does not explain that. Collections were restored apart from each other, or changed.',
    )
    return acceptCodes.contradiction
  }
  const ends = await reader.ends()
  const published = await readPublished({ subscriberId, sealing, reader, topic, origin })
  const reason = published.problem ?? (await whyDifferent(sealing, subscriberId, published))
  if (reason === undefined) {
    print(`There is nothing to accept: what ${topic} has of the log of ${subscriberId} agrees with it (size ${size}).`)
    return acceptCodes.nothing
  }
  await sealing.acceptances.store(subscriberId, { topic, offsets: ends, size })
  print(`Accepted for the log of ${subscriberId}: ${reason}.`)
  print(
    `What ${topic} has of it up to ${offsetsOf(ends)} is not compared any more. The log goes on from size ${size}, within an interval of its sealer.`,
  )
  print(
    'Checkpoints that were published above that size may disagree with those that follow: whoever keeps them will see that the log was restored.',
  )
  return acceptCodes.accepted
}

const offsetsOf = (ends: ReadonlyMap<number, bigint>) =>
  Array.from(ends, ([partition, offset]) => `offset ${offset} of partition ${partition}`).join(', ')

async function readPublished({ subscriberId, sealing, reader, topic, origin }: Omit<Deciding, 'print'>) {
  const state = await sealing.state.read()
  const keysOf = state === undefined ? () => [] : createVerifierKeys(state)
  const found = await sealing.acceptances.find(subscriberId)
  const accepted = found?.topic === topic ? found : undefined
  const logs = createPublishedLogs(origin)
  const from = accepted?.offsets ?? new Map<number, bigint>()
  const end = await reader.read(from, (record) => void logs.take(record, keysOf, () => accepted))
  if (!(end instanceof Map)) throw new Error(`${topic} was created anew since the last acceptance`)
  return logs.of(subscriberId)
}

async function whyDifferent(sealing: Sealing, subscriberId: string, { newest }: PublishedLog) {
  if (newest === undefined) return undefined
  try {
    await sealing.compare(subscriberId, newest)
    return undefined
  } catch (error) {
    if (error instanceof LogConflict) return error.message
    throw error
  }
}
