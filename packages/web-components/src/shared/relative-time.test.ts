import { expect, test } from '@jest/globals'
import { hueOf, initialsOf } from './avatar.ts'
import { dayName, relativeTime } from './relative-time.ts'

const now = new Date(2026, 0, 31, 12, 0, 0)
const ago = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now, 'en')

test('formats times relative to now', () => {
  expect([ago(-30), ago(59), ago(61), ago(3_599), ago(7_200)]).toEqual([
    'now',
    'now',
    '1 min. ago',
    '59 min. ago',
    '2 hr. ago',
  ])
  expect(relativeTime(new Date(now.getTime() - 120_000), now, 'de')).toBe('vor 2 Min.')
})

test.each([
  ['2026-03-01T08:00', '2026-03-03T07:00', '2 days ago', 'vorgestern'],
  ['2026-03-01T00:30', '2026-03-02T23:59', 'yesterday', 'gestern'],
  ['2026-03-02T23:50', '2026-03-03T00:10', '20 min. ago', 'vor 20 Min.'],
  ['2026-03-02T22:50', '2026-03-03T00:10', 'yesterday', 'gestern'],
  ['2026-03-03T00:10', '2026-03-03T23:50', '23 hr. ago', 'vor 23 Std.'],
  ['2026-02-23T12:00', '2026-03-01T11:00', '6 days ago', 'vor 6 Tagen'],
  ['2026-02-22T12:00', '2026-03-01T11:00', 'Feb 22', '22. Feb.'],
  ['2026-10-01T12:00', '2026-11-29T12:00', 'Oct 1', '1. Okt.'],
  ['2024-12-31T12:00', '2026-12-30T12:00', 'Dec 31, 2024', '31.12.2024'],
  // The clocks change in between, in zones where they do.
  ['2026-03-28T12:00', '2026-03-29T11:00', 'yesterday', 'gestern'],
  ['2026-10-24T12:00', '2026-10-26T11:00', '2 days ago', 'vorgestern'],
])('names by the calendar what was at %s and is read at %s', (time, now, english, german) => {
  const said = ['en', 'de'].map((locale) => relativeTime(new Date(time), new Date(now), locale))
  expect(said).toEqual([english, german])
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
