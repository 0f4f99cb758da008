// Generated from `lines` with Kafka's Java client (kafka-clients 4.1.0, snappy-java, lz4-java, zstd-jni).

const fromBase64 = (...parts: readonly string[]) => Buffer.from(parts.join(''), 'base64')

/** The uncompressed text of the vectors. */
export const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `${n % 7}{"id":"ключ/🔑","source":"/a"}\n`).join('')

/** 60 lines in blocks of 1 KiB, as `SnappyOutputStream` frames them. */
export const snappyInBlocks = fromBase64(
  'glNOQVBQWQAAAAABAAAAAQAAAGqACJgweyJpZCI6ItC60LvRjtGHL/CflJEiLCJzb3VyY2UiOiIvYSJ9CjGSJgAAMpImAAAzkiYA',
  'ADSSJgAANZImAAA2kiYA/goB/goB/goB/goB/goB/goB/goB/goB/goB/goB/goB1goBAAAAbIAIoH0KNnsiaWQiOiLQutC70Y7R',
  'hy/wn5SRIiwic291cmNlIjoiL2EifQowkiYAADGSJgAAMpImAAAzkiYAADSSJgAANZImAP4KAf4KAf4KAf4KAf4KAf4KAf4KAf4K',
  'Af4KAf4KAf4KAc4KAQAAAEXoAahhIn0KNXsiaWQiOiLQutC70Y7Rhy/wn5SRIiwic291cmNlIjoiL2EifQo2kiYAADCSJgAAMZIm',
  'AAAykiYAADOSJgA=',
)

/** 60 lines as one raw block. */
export const snappyBare = fromBase64(
  '6BGYMHsiaWQiOiLQutC70Y7Rhy/wn5SRIiwic291cmNlIjoiL2EifQoxkiYAADKSJgAAM5ImAAA0kiYAADWSJgAANpImAP4KAf4K',
  'Af4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4KAf4K',
  'Af4KAf4KAf4KAf4KAXYKAQ==',
)

/** 3,000 lines: more than one block of 64 KiB. */
export const lz4Frame = fromBase64(
  'BCJNGGBAgk4BAAD/GDB7ImlkIjoi0LrQu9GO0Ycv8J+UkSIsInNvdXJjZSI6Ii9hIn0KMSYAEh8yJgASHzMmABIfNCYAEh81JgAS',
  'HzYmABIPCgH/////////////////////////////////////////////////////////////////////////////////////////',
  '////////////////////////////////////////////////////////////////////////////////////////////////////',
  '////////////////////////////////////////////////////////////////////////////////////////////////////',
  '///////////////////////////////////////////////////dUJSRIiwiDgEAAPoXc291cmNlIjoiL2EifQozeyJpZCI6ItC6',
  '0LvRjtGHL/CflJEiLCImAB80JgASHzUmABIfNiYAEh8wJgASHzEmABIfMiYAEg8KAf//////////////////////////////////',
  '////////////////////////////////////////////////////////////////////////////////////////////////////',
  '////////////////////////////////////////////////////////////////////////////////////////////////////',
  '////////////////3FAvYSJ9CgAAAAA=',
)

/** 3,000 lines. */
export const zstdFrame = fromBase64(
  'KLUv/QBYDDIA2r3EEiCwNcMYDKU8OfNAFhyku1uQgB28ph+Kh0oppZSOlMSiIDIBHgEeAcpdTrnLKXc55S6n3OWUu5xyl1Pucspd',
  'TrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWU',
  'u5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnL',
  'KXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xy',
  'l1PucspdTrnLKXc55S6n3OWUu5xyl1NBgHGAGImhgNDwwOAwDAaBAgYSIAQsBiwQKA4oRmIkLAwACS6n3OWUu5xyl1PucspdTrnL',
  'KXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xy',
  'l1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc5',
  '5S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1Pu',
  'cspdTrnLKXc55S6n3OWUu5xyl1PucspdTrnLKXc55S6n3OWUu5xyl1PucgFT7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3',
  'OeUup9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT',
  '7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUu',
  'p9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUup9zllLuccpdT7nLK',
  'XU65yyl3OeUup9zllLuccpdT7nLKXU65yyl3OeUBnHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKX',
  'U+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1Oucspdznl',
  'Lqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5y',
  'yl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc5ZS7nHKXU+5yyl1OucspdznlLqfc',
  '5ZS7nHKXU+5yyl1OucuLt6QUAP/7/wDjvwEhAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACw7kv//wMBAAA=',
)
