import { expect, test } from '@jest/globals'
import { hueOf, initialsOf } from './avatar.ts'
import { dayName, relativeTime } from './relative-time.ts'

const now = new Date(2026, 0, 31, 12, 0, 0)
const ago = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now, 'en')

test('formats times relative to now', () => {
  expect([ago(-30), ago(59), ago(61), ago(3_599), ago(7_200), ago(90_000)]).toEqual([
    'now',
    'now',
    '1 min. ago',
    '59 min. ago',
    '2 hr. ago',
    'yesterday',
  ])
  expect(relativeTime(new Date(now.getTime() - 120_000), now, 'de')).toBe('vor 2 Min.')
})

test('names today, yesterday and other days', () => {
  const day = (date: number) => dayName(new Date(2026, 0, date, 23, 59), now, 'en-GB')
  expect([day(31), day(30), day(29)]).toEqual(['Today', 'Yesterday', 'Thursday 29 January'])
  expect(dayName(new Date(2025, 11, 31), now, 'en-GB')).toMatch(/^Wednesday,? 31 December 2025$/)
})

test('derives initials and colours from names', () => {
  expect(['Mei Tanaka', 'amara', 'Ana María del Río', '🙌 team', ''].map(initialsOf)).toEqual([
    'MT',
    'A',
    'AR',
    '🙌T',
    '?',
  ])
  expect(hueOf('Mei')).toBe(hueOf('Mei'))
})
