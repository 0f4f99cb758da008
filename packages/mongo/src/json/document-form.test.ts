import { formatTimestamp } from '@herald/contracts'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyText, anyTime, bytesOf } from '../testing.fixture.ts'
import { encodeDocuments } from './byte-writer.ts'
import { documentForm, jsonText, jsonTime, verbatim } from './document-form.ts'

type Thing = { text: string; json: string; at: Date | undefined }

const writeThing = documentForm<Thing>`{
  "text":${jsonText('text')},
  "at":${jsonTime('at')},
  "json":${verbatim('json')}
}`
const served = ({ text, json, at }: Thing) =>
  `{"text":${JSON.stringify(text)},"at":${at ? JSON.stringify(formatTimestamp(at)) : 'null'},"json":${json}}`

/** A document whose buffer ends with it, so that reading beyond its end would throw. */
function aloneInBuffer(document: object): Buffer {
  const bytes = bytesOf(document)
  return Buffer.from(new Uint8Array(bytes).buffer)
}
const written = (...documents: Buffer[]) => encodeDocuments(documents, writeThing).toString()

/** Mostly plain text, so that what needs an escape is at any place among words of four bytes. */
const someEscapes = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constant('a') },
      fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', ' ', '\u007f', 'é', '€', '𝄞'),
    ),
  )
  .map((characters) => characters.join(''))
const anyThing: fc.Arbitrary<Thing> = fc.record({
  text: fc.oneof(anyText, someEscapes),
  json: fc.oneof(
    fc.json(),
    fc.integer({ min: 0, max: 600 }).map((size) => JSON.stringify('x'.repeat(size))),
  ),
  at: fc.option(anyTime, { nil: undefined }),
})

test('writes the same bytes as JSON.stringify, wherever in the text an escape is', () => {
  fc.assert(
    fc.property(fc.array(anyThing, { maxLength: 5 }), (things) => {
      expect(written(...things.map(aloneInBuffer))).toBe(things.map(served).join(''))
    }),
    { numRuns: 2_000 },
  )
})

test('writes every escape at every place of a word', () => {
  for (let byte = 0; byte < 0x80; byte++) {
    for (let before = 0; before < 8; before++) {
      const text = `${'a'.repeat(before)}${String.fromCharCode(byte)}${'b'.repeat(7 - before)}`
      const thing = { text, json: '0', at: undefined }
      expect(written(aloneInBuffer(thing))).toBe(served(thing))
    }
  }
})

test.each([0, 1, 3, 4, 5, 254, 255, 256, 257, 258, 100_000])('copies JSON of %s and two bytes', (size) => {
  const thing = { text: '', json: JSON.stringify('x'.repeat(size)), at: undefined }
  expect(written(aloneInBuffer(thing)) === served(thing)).toBe(true)
})

test.each([0, 999, 1_000, 86_399_999, 86_400_000, 951_782_400_000, 951_868_799_999, -1, -86_400_001])(
  'writes the time %s after that of another second or day',
  (ms) => {
    const things = [ms, ms + 1, ms + 1_000, ms + 60_000, ms + 3_600_000, ms + 86_400_000, ms].map((time) => ({
      text: '',
      json: '0',
      at: new Date(time),
    }))
    expect(written(...things.map(aloneInBuffer))).toBe(things.map(served).join(''))
  },
)

describe('fields of another order than in the previous document', () => {
  const thing = { text: 'a "text"', json: '[1]', at: new Date(5_000) }
  const { text, json, at } = thing
  test.each([
    ['in another order', { at, json, text }],
    ['with an unknown first field', { newer: { text: 'nested' }, text, json, at }],
    ['with unknown fields between', { text, textual: 1, json, a: null, at, b: true }],
    ['with a name of which another one is the start', { te: 'x', text, jso: 1, json, at }],
    ['with every other type', { a: 1.5, b: [1], c: /a/i, d: new Uint8Array(3), e: 2n ** 40n, f: false, ...thing }],
  ])('%s', (_, other) => {
    const documents = [thing, other, thing, other, other].map(aloneInBuffer)
    expect(written(...documents)).toBe(served(thing).repeat(5))
  })

  test('shorter than the name that is expected, at the end of the buffer', () => {
    const short = { json: '1', text: '', abc: null }
    const longer = { json: '1', text: '', abcdefgh: null }
    expect(written(...[longer, short].map(aloneInBuffer))).toBe('{"text":"","at":null,"json":1}'.repeat(2))
  })

  test('throws if a field is missing that the previous document had', () => {
    expect(() => written(...[thing, { text, at }].map(aloneInBuffer))).toThrow('The document has no json')
  })
})

test('documents of one response and of several are written the same', () => {
  const things = Array.from({ length: 5 }, (_, n) => ({ text: `"${n}"`, json: `${n}`, at: new Date(n * 1_000) }))
  const parts = things.map(bytesOf)
  const response = Buffer.concat([Buffer.from('before'), ...parts])
  const starts = parts.map((_, n) => 6 + Buffer.concat(parts.slice(0, n)).length)
  const inOne = parts.map(({ length }, n) => response.subarray(starts[n], Number(starts[n]) + length))
  expect(written(...inOne)).toBe(things.map(served).join(''))
  expect(written(...parts)).toBe(things.map(served).join(''))
})
