import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import { createPrinter, type Line } from './terminal.ts'

function printed(line: Line, { hasColors = false } = {}): string {
  const stream = Object.assign(new PassThrough(), { isTTY: hasColors, hasColors: () => hasColors })
  createPrinter(stream as unknown as NodeJS.WriteStream)(line)
  return String(stream.read())
}

test.each([
  ['a colour', '\x1b[31mred', '\\u001b[31mred'],
  ['the title or clipboard of the terminal', '\x1b]52;c;aGk=\x07', '\\u001b]52;c;aGk=\\u0007'],
  ['a control of eight bits', '\x9b2J', '\\u009b2J'],
  ['a line break that forges a line', 'a\r\nstored: b', 'a\\u000d\\u000astored: b'],
  ['a reversed direction', 'txt.\u202Eexe', 'txt.\\u202eexe'],
  ['an isolated direction', '\u2066a\u2069', '\\u2066a\\u2069'],
  ['separators of lines and paragraphs', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['invisible characters', 'a\u200B\u{E0041}\uFEFF', 'a\\u200b\\udb40\\udc41\\ufeff'],
  ['backspaces', 'rm\b\b\x7f', 'rm\\u0008\\u0008\\u007f'],
])('escapes %s', (_, text, shown) => {
  expect(printed(text)).toBe(`${shown}\n`)
})

test.each(['é, ß, 漢字, ع, 😀 and – “all” else', '  columns   ', ''])('leaves %j as it is', (text) => {
  expect(printed(text)).toBe(`${text}\n`)
})

test('a line of JSON keeps its value', () => {
  const value = { detail: 'a\x1b\x9b\u202E\u{E0041}\n"\\' }
  expect(JSON.parse(printed(JSON.stringify(value)))).toEqual(value)
})

test('formats whole lines on a terminal that has colours, and escapes within', () => {
  const line = { format: 'red', text: '! \x1b[0mfine' } as const
  expect(printed(line, { hasColors: true })).toBe('\x1b[31m! \\u001b[0mfine\x1b[39m\n')
  expect(printed(line)).toBe('! \\u001b[0mfine\n')
})
