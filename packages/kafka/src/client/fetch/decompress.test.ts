import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { lines, lz4Frame, snappyBare, snappyInBlocks, zstdFrame } from './codecs.fixture.ts'
import { decompress } from './decompress.ts'

async function all(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const found: Buffer[] = []
  for await (const piece of pieces) found.push(piece)
  return Buffer.concat(found).toString()
}

const gzipBytes = gzipSync(lines(40_000))

test.each([
  ['gzip', 1, gzipBytes, lines(40_000)],
  ['snappy in xerial blocks', 2, snappyInBlocks, lines(60)],
  ['snappy as one raw block', 2, snappyBare, lines(60)],
  ['lz4', 3, lz4Frame, lines(3_000)],
  ['zstd', 4, zstdFrame, lines(3_000)],
])('decompresses %s', async (_, codec, compressed, text) => {
  expect(await all(decompress(codec, compressed))).toBe(text)
})

test.each([
  ['gzip', 1, gzipBytes],
  ['snappy', 2, snappyBare],
  ['snappy in blocks', 2, snappyInBlocks],
  ['lz4', 3, lz4Frame],
  ['zstd', 4, zstdFrame],
])('throws for truncated %s', async (_, codec, compressed) => {
  await expect(all(decompress(codec, compressed.subarray(0, -9)))).rejects.toThrow()
})

test('rejects a snappy block that declares more than it can hold before allocating it', async () => {
  const lying = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), snappyBare.subarray(2)])
  await expect(all(decompress(2, lying))).rejects.toThrow('declares')
})

test('decompresses lz4 with checksums or dependent blocks', async () => {
  const { compressFrame } = await import('lz4-napi')
  const text = lines(20_000)
  const compressed = await compressFrame(text, { blockChecksums: true, contentChecksum: true })
  expect(await all(decompress(3, compressed))).toBe(text)
})
