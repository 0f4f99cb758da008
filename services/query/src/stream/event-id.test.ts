import { expect, test } from '@jest/globals'
import { createEventIds } from './event-id.ts'

const key = Buffer.alloc(32, 1)
const owner = 'a'.repeat(64)
const short = '826B01A667000000022B0229296E04'
const long = `${short.slice(0, -2)}${'5A'.repeat(90)}04`
const ids = createEventIds(key, owner)

test('opens a sealed position in any process with the key', () => {
  for (const position of [short, long, '82'.repeat(300)]) {
    expect(createEventIds(Buffer.from(key), owner).open(ids.seal(position))).toBe(position)
  }
})

test('reveals neither the position, nor its length, nor whether two are equal', () => {
  expect(ids.seal(short)).not.toBe(ids.seal(short))
  expect(ids.seal(short)).toHaveLength(ids.seal(long).length)
  expect(Buffer.from(ids.seal(long), 'base64url').toString('hex').toUpperCase()).not.toContain('5A5A5A')
  expect(ids.seal(short)).toMatch(/^[\w-]+$/)
})

test.each([
  ['an empty id', ''],
  ['nonsense', 'nonsense'],
  ['zeros', 'A'.repeat(210)],
  ['too long', `${'A'.repeat(5_000)}`],
  ['another owner’s', createEventIds(key, 'b'.repeat(64)).seal(short)],
  ['another key’s', createEventIds(Buffer.alloc(32, 2), owner).seal(short)],
])('does not open %s', (_, id) => {
  expect(ids.open(id)).toBeUndefined()
})

test('rejects every changed or truncated id', () => {
  const bytes = Buffer.from(ids.seal(short), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    expect(ids.open(changed.toString('base64url'))).toBeUndefined()
    expect(ids.open(bytes.subarray(0, at).toString('base64url'))).toBeUndefined()
  }
})
