import { createTurns } from '@herald/runtime'
import type { PartitionShare } from '../../port/kafka-port.ts'
import { fetchLimits } from './fetch-limits.ts'
import { createPausedBatches, type PausedBatches } from './paused-batches.ts'
import { placeholder, type RecordGroup, readRecords } from './read-records.ts'
import { type RecordBatch, readBatches } from './record-batch.ts'
import type { FetchedRecord } from './record-cutter.ts'

export type FetchRequest = {
  readonly topics: readonly {
    readonly topic: string
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string | number }[]
  }[]
}

/** A fetch response as kafkajs decodes it, with the bytes of record batches in place of messages. */
export type FetchResponse = {
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[]
}
export type FetchedPartition = {
  readonly partition: number
  readonly errorCode: number
  abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[]
  messages: Buffer | FetchedRecord[]
}

/** The longest turn of the event loop in which records are decoded. */
const maxTurnMs = 5

/** The broker knows no such partition: its topic was deleted. One that was moved has another code. */
const unknownTopicOrPartition = 3

/**
 * Creates a function that decodes the records of a fetch response, each response only up to {@link fetchLimits}, and each
 * partition only up to its share. The rest is fetched again, as if the broker had sent less. Each response starts with
 * another partition, so that none is starved. Decoding gives way to other work of the process every few milliseconds.
 */
export function createRecordDecoder(
  shareOf: (topic: string) => PartitionShare | undefined = () => undefined,
  onNotHosted: (topic: string) => void = () => {},
) {
  const paused = createPausedBatches()
  let turn = 0

  return async ({ responses }: FetchResponse, request: FetchRequest): Promise<void> => {
    const offsets = requestedOffsets(request)
    const fetched = responses.flatMap(({ topicName: topic, partitions }) =>
      partitions.map((partition) => takeBytes(topic, partition)),
    )
    for (const { topic, errorCode } of fetched) if (errorCode === unknownTopicOrPartition) onNotHosted(topic)
    const withRecords = fetched.filter(({ bytes, place }) => bytes.length > 0 && offsets.has(place))
    turn++
    const giveWay = createTurns(maxTurnMs)
    let left: number = fetchLimits.responseBytes
    let leftToRead: number = fetchLimits.responseReadBytes
    for (let index = 0; index < withRecords.length && left > 0 && leftToRead > 0; index++) {
      const partition = withRecords[(index + turn) % withRecords.length] as Fetched
      const isEnough = isEnoughOf(Math.min(left, fetchLimits.partitionBytes), shareOf(partition.topic))
      const fromOffset = offsets.get(partition.place) as number
      const { bytes, readBytes } = await decodePartition(partition, fromOffset, isEnough, { paused, giveWay })
      left -= bytes
      leftToRead -= readBytes
    }
  }
}

type Fetched = ReturnType<typeof takeBytes>

/** Takes the bytes of a partition, and its aborted transactions, which kafkajs would filter once more. */
function takeBytes(topic: string, partition: FetchedPartition) {
  const { messages: bytes, abortedTransactions: aborted, errorCode } = partition
  if (!Buffer.isBuffer(bytes)) throw new Error('kafkajs has decoded a fetch response before it was patched')
  const messages: FetchedRecord[] = []
  partition.messages = messages
  partition.abortedTransactions = []
  return { topic, place: placeOf(topic, partition.partition), errorCode, bytes, aborted, messages }
}

/** The requested offsets by partition. kafkajs shuffles the partitions, so a request may name a topic more than once. */
function requestedOffsets({ topics }: FetchRequest): ReadonlyMap<string, number> {
  return new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => [placeOf(topic, partition), Number(fetchOffset)] as const),
    ),
  )
}

const placeOf = (topic: string, partition: number) => `${topic}/${partition}`

type Decoded = Pick<RecordGroup, 'bytes' | 'contentBytes' | 'readBytes'>

function isEnoughOf(maxBytes: number, { records, bytes }: Partial<PartitionShare> = {}) {
  return (count: number, decoded: Decoded): boolean =>
    decoded.bytes >= maxBytes ||
    decoded.readBytes >= fetchLimits.partitionReadBytes ||
    count >= (records ?? Number.POSITIVE_INFINITY) ||
    decoded.contentBytes >= (bytes ?? Number.POSITIVE_INFINITY)
}

type IsEnough = ReturnType<typeof isEnoughOf>
type Shared = { readonly paused: PausedBatches; readonly giveWay: () => Promise<void> }

/** Adds messages until it is enough. Returns their bytes and the number of bytes decompressed for them. */
async function decodePartition(
  { place, bytes, aborted, messages }: Fetched,
  fromOffset: number,
  isEnough: IsEnough,
  { paused, giveWay }: Shared,
) {
  const isHidden = createTransactionFilter(aborted)
  const sum = { bytes: 0, contentBytes: 0, readBytes: 0 }
  let next = fromOffset
  for (const batch of readBatches(bytes)) {
    if (isHidden(batch)) {
      if (batch.lastOffset >= fromOffset) messages.push(placeholder(batch))
      continue
    }
    if (batch.lastOffset < fromOffset) continue
    next = Math.max(next, batch.firstOffset)
    const groups = paused.take(place, batch, next) ?? readRecords(ownBytes(batch), fromOffset)
    for (let { value, done } = await groups.next(); !done; { value, done } = await groups.next()) {
      for (const record of value.records) messages.push(record)
      next = Number(value.records.at(-1)?.offset ?? next - 1) + 1
      sum.bytes += value.bytes
      sum.contentBytes += value.contentBytes
      sum.readBytes += value.readBytes
      await giveWay()
      if (!isEnough(messages.length, sum)) continue
      if (next <= batch.lastOffset) paused.keep(place, batch, next, groups)
      return sum
    }
  }
  return sum
}

/** Copies compressed records: a batch that is paused would otherwise keep the whole response in memory. */
const ownBytes = (batch: RecordBatch) => (batch.codec === 0 ? batch : { ...batch, records: Buffer.from(batch.records) })

/**
 * Creates a filter that returns, for batches in order, whether a batch is a transaction marker or part of an aborted
 * transaction. The broker lists aborted transactions in the order of their end, the filter needs that of their start.
 */
function createTransactionFilter(aborted: FetchedPartition['abortedTransactions']) {
  const ahead = aborted.toSorted((a, b) => Number(a.firstOffset) - Number(b.firstOffset))
  const open = new Set<bigint>()
  return ({ isControl, isTransactional, producerId, lastOffset }: RecordBatch): boolean => {
    while (ahead[0] !== undefined && Number(ahead[0].firstOffset) <= lastOffset) {
      open.add(BigInt(ahead[0].producerId))
      ahead.shift()
    }
    if (isControl) open.delete(producerId)
    return isControl || (isTransactional && open.has(producerId))
  }
}
