import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { deriveEventId } from './derive-event-id.ts'

// Golden vectors, computed by an independent program from the contract's text. They never change.
const vectors = [
  ['00000000-0000-0000-0000-000000000000', '/a', '1', 0, '00000000-0000-7cd4-88cf-aae0ec615d01'],
  [
    '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
    'https://collab.example/comments',
    'evt-0001',
    1767225600123,
    '019b76da-a87b-726e-a4a3-c60fe33870b1',
  ],
  [
    'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF',
    'urn:ümläut:💥',
    'ключ/🔑',
    1798761599999,
    '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87',
  ],
  ['0190a6e0-7c1b-7def-8abc-0123456789ab', 'a', 'bc', 1700000000000, '018bcfe5-6800-7336-9af4-d6c1721fa39c'],
  ['0190a6e0-7c1b-7def-8abc-0123456789ab', 'ab', 'c', 1700000000000, '018bcfe5-6800-7400-936d-69c7f393fe7e'],
  ['0190a6e0-7c1b-7def-8abc-0123456789ab', '/s', 'x'.repeat(300), 2 ** 48 - 1, 'ffffffff-ffff-79c0-a0a2-b6e3c3cc8ea0'],
] as const

test.each(vectors)('derives the frozen id of %s %s %s', (subscriberId, source, id, time, expected) => {
  expect(deriveEventId({ subscriberId, source, id, time })).toBe(expected)
})

test('ignores the case of the subscriber id', () => {
  const event = { source: '/a', id: '1', time: 1 }
  expect(deriveEventId({ ...event, subscriberId: 'ABCDEF00-0000-4000-8000-000000000000' })).toBe(
    deriveEventId({ ...event, subscriberId: 'abcdef00-0000-4000-8000-000000000000' }),
  )
})

test('derives the ids in the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const table = readme.split('<!-- vectors -->')[1]?.split('<!-- end of vectors -->')[0] ?? ''
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    const [subscriberId = '', source = '', id = '', time = '', expected] = [...row.matchAll(/`([^`]*)`/g)].map(
      ([, cell]) => cell,
    )
    expect(deriveEventId({ subscriberId, source, id, time: Number(time) })).toBe(expected)
  }
})
