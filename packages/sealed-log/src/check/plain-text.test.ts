import { expect, test } from '@jest/globals'
import { toPlainText } from './plain-text.ts'

test.each([
  '\u0000',
  '\u001b',
  '\r',
  '\t',
  '\u007f',
  '\u0080',
  '\u009b',
  '\u009f',
  '\u061c',
  '\u200b',
  '\u200e',
  '\u202a',
])('escapes %j', (character) => {
  expect(toPlainText(`a${character}b`)).toBe(`a\\u{${character.charCodeAt(0).toString(16)}}b`)
})

test.each(['\u202e', '\u2028', '\u2029', '\u2066', '\u2069', '\ufeff', '\ufff9', '\ud800', '\ue000', '\u{e0041}'])(
  'escapes %j',
  (character) => {
    expect(toPlainText(character)).toMatch(/^\\u\{[0-9a-f]+\}$/)
  },
)

test('leaves letters, marks, signs and line ends as they are', () => {
  const text = 'Grüße — “Growth” €5 💥 日本 é\n'
  expect(toPlainText(text)).toBe(text)
})
