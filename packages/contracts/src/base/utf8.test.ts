import { expect, test } from '@jest/globals'
import { decodeUtf8 } from './utf8.ts'

test.each([
  ['ASCII', Buffer.from('{"a":1}'), '{"a":1}'],
  ['UTF-8', Buffer.from('{"résumé":"😀"}'), '{"résumé":"😀"}'],
  ['a byte-order mark, which is left out', Buffer.from('\uFEFF{"é":1}'), '{"é":1}'],
  ['a second byte-order mark, which is text', Buffer.from('\uFEFF\uFEFFé'), '\uFEFFé'],
  ['nothing', Buffer.alloc(0), ''],
  ['latin-1', Buffer.from('é', 'latin1'), undefined],
  ['a cut character', Buffer.from('é').subarray(0, 1), undefined],
  ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80]), undefined],
])('decodes %s', (_, bytes, text) => {
  expect(decodeUtf8(bytes)).toBe(text)
})
