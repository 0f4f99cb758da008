import type { PartitionShare } from '../../consume/kafka-port.ts'
import { ByteReader } from './byte-reader.ts'
import { createTurns } from './event-loop-turns.ts'
import { fetchLimits } from './fetch-limits.ts'
import { createPausedBatches, type PausedBatches } from './paused-batches.ts'
import { placeholder, type RecordGroup, readRecords } from './read-records.ts'
import { type RecordBatch, readBatches } from './record-batch.ts'
import type { FetchedRecord } from './record-cutter.ts'

/** A fetch request in kafkajs's form. */
export type FetchRequest = {
  readonly topics: readonly {
    readonly topic: string
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string | number }[]
  }[]
}

type AbortedTransaction = { readonly producerId: bigint; readonly firstOffset: bigint }
type Answer = ReturnType<typeof readPartition> & { readonly topic: string; readonly messages: FetchedRecord[] }

/**
 * Creates a decoder of fetch responses (versions 4 to 11) that decodes each only up to {@link fetchLimits}, and each
 * partition only up to its share. The rest is fetched again, as if the broker had sent less. Each response starts with
 * another partition, so that none is starved. Decoding gives way to other work of the process every few milliseconds.
 */
export function createFetchResponseDecoder(shareOf: (topic: string) => PartitionShare | undefined = () => undefined) {
  const paused = createPausedBatches()
  let turn = 0

  return async (bytes: Buffer, version: number, request: FetchRequest) => {
    const { head, answers } = readAnswers(new ByteReader(bytes), version)
    const offsets = requestedOffsets(request)
    const withRecords = answers.filter((answer) => answer.records.length > 0 && offsets.has(placeOf(answer)))
    turn++
    const giveWay = createTurns()
    let left: number = fetchLimits.responseBytes
    let leftToRead: number = fetchLimits.responseReadBytes
    for (let index = 0; index < withRecords.length && left > 0 && leftToRead > 0; index++) {
      const answer = withRecords[(index + turn) % withRecords.length] as Answer
      const isEnough = createBudget(Math.min(left, fetchLimits.partitionBytes), shareOf(answer.topic))
      const { bytes, readBytes } = await decodePartition(answer, offsets.get(placeOf(answer)) as number, isEnough, {
        paused,
        giveWay,
      })
      left -= bytes
      leftToRead -= readBytes
    }
    return { ...head, responses: byTopic(answers) }
  }
}

/** The requested offsets by partition. kafkajs shuffles the partitions, so a request may name a topic more than once. */
function requestedOffsets({ topics }: FetchRequest): ReadonlyMap<string, number> {
  return new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => [placeOf({ topic, partition }), Number(fetchOffset)] as const),
    ),
  )
}

const placeOf = ({ topic, partition }: { topic: string; partition: number }) => `${topic}/${partition}`

type Decoded = Pick<RecordGroup, 'bytes' | 'contentBytes' | 'readBytes'>

/** Creates a function that returns whether a partition has been decoded as far as one fetch may. */
function createBudget(maxBytes: number, { records, bytes }: Partial<PartitionShare> = {}) {
  return (count: number, decoded: Decoded): boolean =>
    decoded.bytes >= maxBytes ||
    decoded.readBytes >= fetchLimits.partitionReadBytes ||
    count >= (records ?? Number.POSITIVE_INFINITY) ||
    decoded.contentBytes >= (bytes ?? Number.POSITIVE_INFINITY)
}

type Budget = ReturnType<typeof createBudget>
type Shared = { readonly paused: PausedBatches; readonly giveWay: () => Promise<void> }

/** Adds messages until it is enough. Returns their bytes and the number of bytes decompressed for them. */
async function decodePartition(answer: Answer, fromOffset: number, isEnough: Budget, { paused, giveWay }: Shared) {
  const { messages } = answer
  const isHidden = createTransactionFilter(answer.aborted)
  const place = placeOf(answer)
  const sum = { bytes: 0, contentBytes: 0, readBytes: 0 }
  let next = fromOffset
  for (const batch of readBatches(answer.records)) {
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
function createTransactionFilter(transactions: readonly AbortedTransaction[]) {
  const ahead = [...transactions].sort((a, b) => Number(a.firstOffset - b.firstOffset))
  const open = new Set<bigint>()
  return ({ isControl, isTransactional, producerId, lastOffset }: RecordBatch): boolean => {
    while (ahead[0] !== undefined && Number(ahead[0].firstOffset) <= lastOffset) {
      open.add((ahead.shift() as AbortedTransaction).producerId)
    }
    if (isControl) open.delete(producerId)
    return isControl || (isTransactional && open.has(producerId))
  }
}

function readAnswers(reader: ByteReader, version: number) {
  const throttleMs = reader.int32()
  // Since version 8 the client has to wait itself, and kafkajs expects the time under this name.
  const throttle = version < 8 ? { throttleTime: throttleMs } : { throttleTime: 0, clientSideThrottleTime: throttleMs }
  const session = version < 7 ? {} : { errorCode: reader.int16(), sessionId: reader.int32() }
  const answers: Answer[] = []
  for (let topics = reader.int32(); topics > 0; topics--) {
    const topic = reader.string()
    for (let partitions = reader.int32(); partitions > 0; partitions--) {
      answers.push({ topic, ...readPartition(reader, version), messages: [] })
    }
  }
  return { head: { ...throttle, ...session }, answers }
}

function readPartition(reader: ByteReader, version: number) {
  const partition = reader.int32()
  const errorCode = reader.int16()
  const highWatermark = String(reader.int64())
  const lastStableOffset = String(reader.int64())
  const lastStartOffset = version < 5 ? undefined : String(reader.int64())
  const aborted: AbortedTransaction[] = []
  for (let count = reader.int32(); count > 0; count--) {
    aborted.push({ producerId: reader.int64(), firstOffset: reader.int64() })
  }
  const preferredReadReplica = version < 11 ? undefined : reader.int32()
  const records = reader.slice(Math.max(0, reader.int32()))
  return {
    ...{ partition, errorCode, highWatermark, lastStableOffset, lastStartOffset, preferredReadReplica },
    ...{ aborted, records },
  }
}

/** Converts to kafkajs's form, without aborted transactions, which are filtered already. */
function byTopic(answers: readonly Answer[]) {
  const topics = new Map<string, object[]>()
  for (const { topic, aborted: _, records: __, ...partition } of answers) {
    const partitions = topics.get(topic) ?? []
    topics.set(topic, partitions)
    partitions.push({ ...partition, abortedTransactions: [] })
  }
  return [...topics].map(([topicName, partitions]) => ({ topicName, partitions }))
}
