import { expect, test } from '@jest/globals'
import { formatTimestamp, timestampSchema } from './timestamp.ts'

test.each([
  ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31t09:30:00.9999z', '2026-01-31T09:30:00.999Z'],
  ['2026-01-31T09:30:00.5+02:00', '2026-01-31T07:30:00.500Z'],
])('parses %s as %s', (text, expected) => {
  expect(new Date(timestampSchema.parse(text)).toISOString()).toBe(expected)
})

test.each(['2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T00:00Z', '2026-01-01T00:00:00', '1767225600', ''])(
  'rejects %s',
  (text) => {
    expect(timestampSchema.safeParse(text).success).toBe(false)
  },
)

test('truncates the fraction instead of rounding', () => {
  expect(formatTimestamp(new Date('2026-01-31T09:30:59.999Z'))).toBe('2026-01-31T09:30:59Z')
})
