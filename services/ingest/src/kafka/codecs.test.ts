import { expect, test } from '@jest/globals'
import { decompress as decompressZstdInJs } from 'fzstd'
import kafkajs from 'kafkajs'
import { lines, lz4Frame, snappyBare, snappyInBlocks, zstdFrame } from './codecs.fixture.ts'
import { registerCodecs } from './codecs.ts'

const { CompressionCodecs, CompressionTypes } = kafkajs

type Codec = { decompress(data: Buffer): Promise<Buffer>; compress(encoder: unknown): unknown }

// kafkajs asks for its codecs in this way.
const codec = (type: number): Codec => (CompressionCodecs as unknown as Record<number, () => Codec>)[type]?.() as Codec

registerCodecs()

test.each([
  ['snappy in the blocks of the JVM', CompressionTypes.Snappy, snappyInBlocks, lines(60)],
  ['snappy as one bare block', CompressionTypes.Snappy, snappyBare, lines(60)],
  ['lz4', CompressionTypes.LZ4, lz4Frame, lines(3_000)],
  ['zstd', CompressionTypes.ZSTD, zstdFrame, lines(3_000)],
])('%s is read', async (_, type, compressed, text) => {
  expect((await codec(type).decompress(compressed)).toString()).toBe(text)
})

test('a Node without zstd reads it all the same', () => {
  expect(Buffer.from(decompressZstdInJs(zstdFrame)).toString()).toBe(lines(3_000))
})

test.each([
  ['snappy', CompressionTypes.Snappy, snappyBare],
  ['snappy in blocks', CompressionTypes.Snappy, snappyInBlocks],
  ['lz4', CompressionTypes.LZ4, lz4Frame],
  ['zstd', CompressionTypes.ZSTD, zstdFrame],
])('%s that is cut short is an error, and not less text', async (_, type, compressed) => {
  await expect(Promise.resolve().then(() => codec(type).decompress(compressed.subarray(0, -9)))).rejects.toThrow()
})

test.each([CompressionTypes.Snappy, CompressionTypes.LZ4, CompressionTypes.ZSTD])('codec %s does not write', (type) => {
  expect(() => codec(type).compress({})).toThrow('Herald reads this codec')
})
