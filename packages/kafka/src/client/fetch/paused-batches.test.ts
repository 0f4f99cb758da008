import zlib from 'node:zlib'
import { expect, test } from '@jest/globals'
import { batchOf } from './batches.fixture.ts'
import { fetchLimits } from './fetch-limits.ts'
import { createPausedBatches, zstdWindowBytes } from './paused-batches.ts'
import type { RecordGroup } from './read-records.ts'

const MiB = 1024 * 1024
const none = 0

function createGroups() {
  let isClosed = false
  async function* generate(): AsyncGenerator<RecordGroup> {
    try {
      yield { records: [], bytes: 0, contentBytes: 0, readBytes: 0 }
      yield { records: [], bytes: 0, contentBytes: 0, readBytes: 0 }
    } finally {
      isClosed = true
    }
  }
  return { groups: generate(), isClosed: () => isClosed }
}

async function startedGroups() {
  const created = createGroups()
  await created.groups.next()
  return created
}

const batchOfBytes = (bytes: number) => batchOf(none, Buffer.alloc(bytes), 10)
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('returns a paused batch once, and only for the offset at which it stopped', async () => {
  const paused = createPausedBatches()
  const batch = batchOfBytes(1)
  const first = await startedGroups()
  paused.keep('topic/0', batch, 105, first.groups)
  expect(paused.take('topic/1', batch, 105)).toBeUndefined()
  expect(paused.take('topic/0', batch, 105)).toBe(first.groups)
  expect(paused.take('topic/0', batch, 105)).toBeUndefined()
  paused.keep('topic/0', batch, 105, first.groups)
  expect(paused.take('topic/0', batch, 104)).toBeUndefined()
  await settled()
  expect(first.isClosed()).toBe(true)
})

test('keeps batches up to a limit of bytes, and closes the one that exceeds it', async () => {
  const paused = createPausedBatches()
  const batch = batchOfBytes(20 * MiB)
  const all = await Promise.all([0, 1, 2, 3].map(startedGroups))
  for (const [partition, { groups }] of all.entries()) paused.keep(`topic/${partition}`, batch, 101, groups)
  await settled()
  expect(all.map(({ isClosed }) => isClosed())).toEqual([false, false, false, true])
  expect(paused.take('topic/3', batch, 101)).toBeUndefined()
  expect(paused.take('topic/0', batch, 101)).toBe(all[0]?.groups)
  paused.keep('topic/4', batch, 101, (await startedGroups()).groups)
  expect(paused.take('topic/4', batch, 101)).toBeDefined()
})

test('keeps one batch of any size', async () => {
  const paused = createPausedBatches()
  const batch = batchOfBytes(fetchLimits.pausedBytes)
  const { groups } = await startedGroups()
  paused.keep('topic/0', batch, 101, groups)
  expect(paused.take('topic/0', batch, 101)).toBe(groups)
})

test('closes a batch that is not taken for a minute', async () => {
  let now = 0
  const paused = createPausedBatches(() => now)
  const [first, second] = [await startedGroups(), await startedGroups()]
  paused.keep('topic/0', batchOfBytes(1), 101, first.groups)
  now = 60_001
  paused.keep('topic/1', batchOfBytes(1), 101, second.groups)
  await settled()
  expect([first.isClosed(), second.isClosed()]).toEqual([true, false])
})

test.each([20, 23, 27])('reads the window that a zstd frame declares: 2 to the power of %i', async (windowLog) => {
  const stream = zlib.createZstdCompress({ params: { [zlib.constants.ZSTD_c_windowLog]: windowLog } })
  const pieces: Buffer[] = []
  stream.on('data', (piece: Buffer) => pieces.push(piece))
  stream.write(Buffer.alloc(MiB))
  stream.end(Buffer.alloc(MiB))
  await new Promise((resolve) => stream.once('end', resolve))
  expect(zstdWindowBytes(Buffer.concat(pieces))).toBe(2 ** windowLog)
})

test('takes the content of a zstd frame of a single segment as its window', () => {
  expect(zstdWindowBytes(zlib.zstdCompressSync(Buffer.alloc(300_000)))).toBe(300_000)
  expect(zstdWindowBytes(zlib.zstdCompressSync(Buffer.alloc(1_000)))).toBe(1_000)
})
