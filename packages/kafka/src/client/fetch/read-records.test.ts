import { expect, test } from '@jest/globals'
import { batchOf, compressed, encodeRecord, type Piece, recordOfZeros } from './batches.fixture.ts'
import { fetchLimits } from './fetch-limits.ts'
import { readRecords } from './read-records.ts'
import type { RecordBatch } from './record-batch.ts'
import type { FetchedRecord } from './record-cutter.ts'

const MiB = 1024 * 1024

async function read(batch: RecordBatch, fromOffset = 0, maxBytes?: number): Promise<FetchedRecord[]> {
  const all: FetchedRecord[] = []
  for await (const { records } of readRecords(batch, fromOffset, maxBytes)) all.push(...records)
  return all
}

const good = (number: number) => encodeRecord(number, { key: 'k', value: `good ${number}` })
const longer = (record: Buffer) => Buffer.concat([Buffer.from([record.readUInt8(0) + 2]), record.subarray(1)])
const outlineOf = (records: readonly FetchedRecord[]) =>
  records.map(({ offset, value, readFailure, isControlRecord }) =>
    [offset, readFailure?.code ?? (isControlRecord ? 'placeholder' : String(value))].join(': '),
  )

test('reads offset, timestamp, key, value and headers of a record', async () => {
  const headers = [
    ['a', '1'],
    ['constructor', '2'],
    ['__proto__', '3'],
    ['a', '4'],
    ['a', '5'],
  ] as const
  const [record, none] = await read(
    batchOf(0, Buffer.concat([encodeRecord(0, { key: 'key', value: 'ü', headers }), encodeRecord(1, {})]), 2),
  )
  expect(record).toMatchObject({ offset: '100', timestamp: '1000', key: Buffer.from('key'), value: Buffer.from('ü') })
  expect(Object.entries(record?.headers ?? {})).toEqual([
    ['a', ['1', '4', '5'].map((text) => Buffer.from(text))],
    ['constructor', Buffer.from('2')],
    ['__proto__', Buffer.from('3')],
  ])
  expect(none).toMatchObject({ offset: '101', key: null, value: null, headers: {} })
})

test('starts at the requested offset', async () => {
  expect(outlineOf(await read(batchOf(0, Buffer.concat([good(0), good(1), good(2)]), 3), 102))).toEqual(['102: good 2'])
})

test('yields a placeholder for the last offset of a batch whose end was compacted', async () => {
  expect(outlineOf(await read(batchOf(0, Buffer.concat([good(0), good(3)]), 2, 107)))).toEqual([
    '100: good 0',
    '103: good 3',
    '107: placeholder',
  ])
})

test.each([
  ['no compression', 0, undefined],
  ['gzip', 1, 'gzip'],
  ['zstd', 4, 'zstd'],
] as const)('skips a record that is too large and reads the others: %s', async (_, codec, name) => {
  const large = recordOfZeros(1, fetchLimits.recordBytes)
  const pieces: Piece[] = [good(0), large.before, large, large.behind, good(2), good(3)]
  const bytes = name
    ? await compressed(name, pieces)
    : Buffer.concat(pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.alloc(piece.zeros))))
  const found = await read(batchOf(codec, bytes, 4))
  expect(outlineOf(found)).toEqual(['100: good 0', '101: record_too_large', '102: good 2', '103: good 3'])
  expect(found[1]).toMatchObject({
    key: Buffer.from('k'),
    value: null,
    headers: {},
    readFailure: { omitted: { value: fetchLimits.recordBytes, headers: large.behind.length } },
  })
})

test('reads a record of nearly 8 MiB', async () => {
  const large = recordOfZeros(0, fetchLimits.recordBytes - 100)
  const [found] = await read(batchOf(4, await compressed('zstd', [large.before, large, large.behind]), 1))
  expect(found?.value?.length).toBe(fetchLimits.recordBytes - 100)
  expect(found?.headers).toEqual({ h: Buffer.from('v') })
})

test('reads a batch up to its limit and skips the records after it as one', async () => {
  const large = recordOfZeros(1, 300 * MiB)
  const bytes = await compressed('zstd', [good(0), large.before, large, large.behind, good(2)])
  const found = await read(batchOf(4, bytes, 3), 0, 256 * MiB)
  expect(outlineOf(found)).toEqual(['100: good 0', '101: record_too_large', '102: record_unreadable'])
  expect(found[2]).toMatchObject({
    firstOffset: '102',
    readFailure: { lastOffset: '102', detail: expect.stringContaining('from offset 102 to 102') },
  })
}, 600_000)

test.each([
  ['an unknown codec', (bytes: Buffer) => batchOf(7, bytes, 3), '100'],
  ['data that is not zstd', () => batchOf(4, Buffer.from('nothing'), 3), '100'],
  ['missing records', (bytes: Buffer) => batchOf(0, bytes.subarray(0, -2), 3), '102'],
  [
    'a record that is longer than declared',
    () => batchOf(0, Buffer.concat([good(0), longer(good(1)), good(2)]), 3),
    '101',
  ],
  ['records out of order', () => batchOf(0, Buffer.concat([good(0), good(2), good(1)]), 3), '102'],
  ['a format before Kafka 0.11', (bytes: Buffer) => ({ ...batchOf(0, bytes, 3), isKnownFormat: false }), '100'],
])('skips unreadable records as one and reads those before them: %s', async (_, damage, from) => {
  const found = await read(damage(Buffer.concat([good(0), good(1), good(2)])))
  const last = found.at(-1)
  expect(last).toMatchObject({ offset: '102', readFailure: { code: 'record_unreadable', lastOffset: '102' } })
  expect(found.slice(0, -1).every(({ readFailure }) => readFailure === undefined)).toBe(true)
  expect(last?.firstOffset).toBe(from)
})
