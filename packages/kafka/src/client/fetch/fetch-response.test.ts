import { randomBytes } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import type { PartitionShare } from '../../port/kafka-port.ts'
import { compressed, encodeBatch, encodeRecord, recordOfZeros } from './batches.fixture.ts'
import { fetchLimits } from './fetch-limits.ts'
import { createRecordDecoder, type FetchRequest } from './fetch-response.ts'
import type { FetchedRecord } from './record-cutter.ts'

const topic = 'topic'

/** Decodes a response with these batches for partitions 0, 1, … Returns the records by partition. */
async function decodeWith(
  decode: ReturnType<typeof createRecordDecoder>,
  batches: readonly Buffer[],
  { topics }: FetchRequest,
): Promise<FetchedRecord[][]> {
  const partitions = batches.map((messages, partition) => ({
    partition,
    errorCode: 0,
    abortedTransactions: [],
    messages: messages as Buffer | FetchedRecord[],
  }))
  await decode({ responses: [{ topicName: topic, partitions }] }, { topics })
  return partitions.map(({ messages }) => messages as FetchedRecord[])
}

/** Fetches partitions with these batches to their ends. Returns the records by fetch and partition. */
async function fetchAll(
  partitions: readonly Buffer[],
  ends: readonly number[],
  shareOf?: (topic: string) => PartitionShare,
): Promise<FetchedRecord[][][]> {
  const decode = createRecordDecoder(shareOf)
  const next = partitions.map(() => 0)
  const fetches: FetchedRecord[][][] = []
  while (next.some((offset, partition) => offset < (ends[partition] ?? 0))) {
    const asked = next.map((fetchOffset, partition) => ({ partition, fetchOffset: String(fetchOffset) }))
    const found = await decodeWith(decode, partitions, { topics: [{ topic, partitions: asked }] })
    for (const [partition, messages] of found.entries()) {
      next[partition] = Number(messages.at(-1)?.offset ?? (next[partition] ?? 0) - 1) + 1
    }
    fetches.push(found)
    if (fetches.length > 1_000) throw new Error('Still not complete after 1,000 fetches')
  }
  return fetches
}

const offsetsOf = (fetches: readonly FetchedRecord[][][], partition: number) =>
  fetches.flatMap((found) => found[partition]?.map(({ offset }) => Number(offset)) ?? [])
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

test('decodes a batch of 200,000 records in parts, each record once and in order', async () => {
  const count = 200_000
  const records = Buffer.concat(upTo(count).map((n) => encodeRecord(n, { value: String(n) })))
  const batch = encodeBatch({ firstOffset: 0, count, records: zstdCompressSync(records), codec: 4 })
  const fetches = await fetchAll([batch], [count])
  expect(offsetsOf(fetches, 0)).toEqual(upTo(count))
  expect(fetches.length).toBeGreaterThan(20)
  expect(Math.max(...fetches.map(([found]) => found?.length ?? 0))).toBeLessThan(
    fetchLimits.partitionBytes / fetchLimits.recordOverheadBytes + 1_000,
  )
})

test('starts at the requested offset of a topic that the request names twice, as kafkajs does after shuffling', async () => {
  const records = Buffer.concat(upTo(100).map((n) => encodeRecord(n, { value: String(n) })))
  const batch = encodeBatch({ firstOffset: 0, count: 100, records: zstdCompressSync(records), codec: 4 })
  const decode = createRecordDecoder()
  const asked = [0, 1].map((partition) => ({ topic, partitions: [{ partition, fetchOffset: `${partition * 50}` }] }))
  const [first, second] = await decodeWith(decode, [batch, batch], { topics: asked })
  expect(first?.map(({ offset }) => Number(offset))).toEqual(upTo(100))
  expect(second?.map(({ offset }) => Number(offset))).toEqual(upTo(100).slice(50))
})

test('returns a share of a partition per fetch and continues without decompressing again', async () => {
  const count = 10_000
  const records = Buffer.concat(upTo(count).map((n) => encodeRecord(n, { value: `${n} ${'x'.repeat(400)}` })))
  const batch = encodeBatch({ firstOffset: 0, count, records: zstdCompressSync(records), codec: 4 })
  const fetches = await fetchAll([batch], [count], () => ({ records: 500, bytes: 1024 * 1024 }))
  expect(offsetsOf(fetches, 0)).toEqual(upTo(count))
  expect(fetches.map(([found]) => found?.length)).toEqual(Array.from({ length: 20 }, () => 500))
  const byBytes = await fetchAll([batch], [count], () => ({ records: count, bytes: 100 * 1024 }))
  expect(offsetsOf(byBytes, 0)).toEqual(upTo(count))
  expect(byBytes.length).toBeGreaterThan(30)
})

test('limits the bytes decoded per fetch without starving a partition', async () => {
  const value = randomBytes(64 * 1024)
  const count = 64
  const records = Buffer.concat(upTo(count).map((n) => encodeRecord(n, { value })))
  const batch = encodeBatch({ firstOffset: 0, count, records, codec: 0 })
  const partitions = upTo(20).map(() => batch)
  const fetches = await fetchAll(
    partitions,
    partitions.map(() => count),
  )
  for (const partition of upTo(20)) expect(offsetsOf(fetches, partition)).toEqual(upTo(count))
  const bytes = fetches.map((found) => found.flat().reduce((sum, { value }) => sum + (value?.length ?? 0), 0))
  expect(Math.max(...bytes)).toBeLessThan(fetchLimits.responseBytes + fetchLimits.partitionBytes)
  const firstFetches = upTo(20).map((partition) => fetches.findIndex((found) => (found[partition]?.length ?? 0) > 0))
  expect(Math.max(...firstFetches)).toBeLessThan(20)
})

test('lets other work run while it decodes', async () => {
  const records = Buffer.concat(upTo(5_000).map((n) => encodeRecord(n, { key: 'k', value: String(n) })))
  const batch = encodeBatch({ firstOffset: 0, count: 5_000, records })
  const decode = createRecordDecoder()
  const asked = [{ topic, partitions: upTo(8).map((partition) => ({ partition, fetchOffset: '0' })) }]
  const batches = upTo(8).map(() => batch)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await decodeWith(decode, batches, { topics: asked })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
})

test('reads several batches of a partition from the requested offset', async () => {
  const batches = [0, 1, 2].map((n) => {
    const records = Buffer.concat(upTo(10).map((number) => encodeRecord(number, { value: 'x' })))
    return encodeBatch({ firstOffset: n * 10, count: 10, records })
  })
  const decode = createRecordDecoder()
  const bytes = Buffer.concat([...batches, (batches[0] as Buffer).subarray(0, 40)])
  const request = { topics: [{ topic, partitions: [{ partition: 0, fetchOffset: '15' }] }] }
  const [found] = await decodeWith(decode, [bytes], request)
  expect(found?.map(({ offset }) => Number(offset))).toEqual(upTo(30).slice(15))
})

test('reads a highly compressed batch in parts, each fetch continuing after the one before', async () => {
  const zeros = recordOfZeros(1, 200 * 1024 * 1024)
  const records = await compressed('zstd', [
    ...[encodeRecord(0, { value: 'a' }), zeros.before, zeros, zeros.behind],
    encodeRecord(2, { value: 'b' }),
  ])
  const fetches = await fetchAll([encodeBatch({ firstOffset: 0, count: 3, records, codec: 4 })], [3])
  expect(offsetsOf(fetches, 0)).toEqual([0, 1, 2])
  const parts = Math.floor((200 * 1024 * 1024) / fetchLimits.partitionReadBytes)
  expect(fetches.length).toBeGreaterThanOrEqual(parts)
  expect(fetches.length).toBeLessThan(2 * parts)
})
